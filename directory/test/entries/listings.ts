import type { Listing } from 'probity/model';

export function listingOf(id: string, endpoint: string, more: Partial<Listing> = {}): Listing {
  return {
    id,
    name: `Server ${id}`,
    description: 'A server of the tests',
    category: 'Tests',
    tags: ['test'],
    transport: ['http'],
    audited: false,
    openSource: true,
    endpoint,
    // Addresses that can be read, as the listing checks require.
    repository: `${endpoint}/health`,
    documentation: `${endpoint}/capabilities`,
    ...more,
  };
}
