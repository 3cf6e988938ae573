/** A complete message, or batch of messages, from a PostgreSQL client. */
export type FromClient =
  /** Requests an encrypted connection. */
  | { readonly kind: 'encryption' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'end' }
  /** Messages that are executed together: the startup message, a simple query, or everything up to a Sync. */
  | { readonly kind: 'batch'; readonly bytes: Uint8Array };

const ENCRYPTION_REQUESTS: ReadonlySet<number> = new Set([80_877_103, 80_877_104]);
const CANCEL_REQUEST = 80_877_102;
const LENGTH_BYTES = 4;
const SIMPLE_QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);

/** Parses the bytes of one connection, in order, and returns the complete messages. */
export function readClient(): (piece: Buffer) => readonly FromClient[] {
  let received: Buffer = Buffer.alloc(0);
  let isStarted = false;
  /** Length of the complete messages of an unfinished batch in `received`. */
  let batchBytes = 0;
  const take = (bytes: number): Buffer => {
    const taken = received.subarray(0, bytes);
    received = received.subarray(bytes);
    batchBytes = 0;
    return taken;
  };
  const first = (): FromClient | null => {
    if (received.length < 2 * LENGTH_BYTES || received.length < received.readInt32BE()) return null;
    const message = take(received.readInt32BE());
    const code = message.readInt32BE(LENGTH_BYTES);
    if (ENCRYPTION_REQUESTS.has(code)) return { kind: 'encryption' };
    if (code === CANCEL_REQUEST) return { kind: 'cancel' };
    isStarted = true;
    return { kind: 'batch', bytes: message };
  };
  const next = (): FromClient | null => {
    if (!isStarted) return first();
    for (;;) {
      if (received.length < batchBytes + 1 + LENGTH_BYTES) return null;
      const type = received[batchBytes];
      const end = batchBytes + 1 + received.readInt32BE(batchBytes + 1);
      if (received.length < end) return null;
      batchBytes = end;
      if (type === TERMINATE) return { kind: 'end' };
      if (type === SIMPLE_QUERY || type === SYNC) return { kind: 'batch', bytes: take(end) };
    }
  };
  return (piece) => {
    received = received.length === 0 ? piece : Buffer.concat([received, piece]);
    const whole: FromClient[] = [];
    for (let found = next(); found !== null; found = next()) {
      whole.push(found);
      if (found.kind === 'end') break;
    }
    return whole;
  };
}
