import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { addListing } from '../../src/check/add-listing.ts';
import type { TestResult } from '../../src/model/report.ts';
import { parseListing } from '../../src/suite/listing/parse-listing.ts';
import type { Mutant } from './mutant.ts';

export const LISTING_FILE = 'probity.listing.yaml';

/** The contents of the addresses that a listing names. */
const PAGES: Readonly<Record<string, string>> = {
  '/source': 'the source',
  '/docs': 'what the functions take and return',
  '/audit': 'what was found',
  '/artifact': 'what is deployed',
  '/bundle': '{}',
  '/empty': '',
};

/** Adds a listing of the server with the changes of the mutant, and decides its rows. */
export async function listed(result: TestResult, mutant: Mutant | undefined): Promise<TestResult> {
  const server = http.createServer(({ url = '' }, response) => {
    const page = PAGES[url];
    if (url === '/moved') response.writeHead(302, { location: '/gone' });
    else if (page === undefined) response.writeHead(404);
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pages = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lines: Readonly<Record<string, string | null>> = {
    listing: 'v1',
    id: 'reference',
    name: 'Reference',
    description: 'Adds, greets and tells the time',
    category: 'examples',
    tags: '[reference]',
    transport: '[http]',
    audited: 'true',
    openSource: 'true',
    endpoint: result.target.url,
    repository: `${pages}/source`,
    documentation: `${pages}/docs`,
    auditReport: `{ url: "${pages}/audit", date: 2026-01-31, auditor: Somebody }`,
    ...mutant?.listing?.(pages),
  };
  const text = Object.entries(lines).flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]));
  try {
    return await addListing(result, parseListing(text.join('\n'), LISTING_FILE));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
