import { createHash } from 'node:crypto';

/** An id that is always the same for the same thing, wherever the directory is reached. Pure. */
export function stableId(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex');
  // A UUID of version 8, whose other bits the maker chooses (RFC 9562).
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
