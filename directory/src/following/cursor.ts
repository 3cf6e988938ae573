import type { FeedPosition } from '../store/change-feed.ts';

/** A position as callers get it: they need not know what it contains. */
export function cursorOf({ feed, transaction, id }: FeedPosition): string {
  return Buffer.from(JSON.stringify([feed, transaction, id])).toString('base64url');
}

/** Null when the text is no cursor. */
export function positionIn(cursor: string): FeedPosition | null {
  try {
    const [feed, transaction, id] = JSON.parse(
      Buffer.from(cursor, 'base64url').toString('utf8'),
    ) as readonly unknown[];
    return typeof feed === 'string' &&
      typeof transaction === 'string' &&
      /^\d{1,19}$/.test(transaction) &&
      typeof id === 'string' &&
      !id.includes('\0')
      ? { feed, transaction, id }
      : null;
  } catch {
    return null;
  }
}
