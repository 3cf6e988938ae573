const NOTIFICATION = 'A'.charCodeAt(0);
const HEADER_BYTES = 5;

/**
 * Finds the notifications in the answer to one batch, whose pieces are given in order. A message is a letter, its length
 * in four bytes, and its content; a piece can end in the middle of one.
 */
export function readNotifications(): (piece: Buffer) => readonly Buffer[] {
  /** The start of a message whose header, or whose notification, is not complete. */
  let kept: Buffer = Buffer.alloc(0);
  /** The rest of a message that is not a notification. */
  let skipped = 0;
  return (piece) => {
    const bytes = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    const found: Buffer[] = [];
    let at = skipped;
    while (at + HEADER_BYTES <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (bytes[at] === NOTIFICATION) {
        if (end > bytes.length) break;
        found.push(bytes.subarray(at, end));
      }
      at = end;
    }
    skipped = Math.max(0, at - bytes.length);
    kept = bytes.subarray(Math.min(at, bytes.length));
    return found;
  };
}
