import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Behaviour, Visit } from './behaviour.ts';

type Play = Behaviour['play'];

export function statusLine({ status }: Pick<Answer, 'status'>): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Some Reason'}`;
}

export interface HeadChanges {
  /** Replaces the status line. */
  readonly line?: string;
  /** Header lines after those of the answer. */
  readonly add?: readonly (string | Buffer)[];
  /** Replaces the header lines that frame the body: its length and `connection: close`. */
  readonly framing?: readonly string[];
  readonly newline?: string;
}

/** Status line and headers of an answer, the empty line included. */
export function headOf(answer: Answer, changes: HeadChanges = {}): Buffer {
  const newline = Buffer.from(changes.newline ?? '\r\n');
  const lines = [
    changes.line ?? statusLine(answer),
    ...answer.headers.map(([name, value]) => `${name}: ${value}`),
    ...(changes.framing ?? [`content-length: ${answer.body.length}`, 'connection: close']),
    ...(changes.add ?? []),
    '',
  ];
  return Buffer.concat(lines.flatMap((line) => [Buffer.from(line as string), newline]));
}

export function bytesOf(answer: Answer, changes: HeadChanges = {}): Buffer {
  return Buffer.concat([headOf(answer, changes), answer.body]);
}

export function withBody(answer: Answer, body: string | Buffer): Answer {
  return { ...answer, body: Buffer.from(body as string) };
}

/** Sends bytes made from the conforming answer, and closes the connection. */
export function sending(make: (answer: Answer, visit: Visit) => Buffer | string): Play {
  return (visit) => void visit.socket.end(make(visit.answer, visit));
}

/** Sends the conforming answer with another head. */
export function headed(changes: HeadChanges | ((answer: Answer) => HeadChanges)): Play {
  return sending((answer) => bytesOf(answer, typeof changes === 'function' ? changes(answer) : changes));
}

/** Sends the conforming answer with another body of correct length. */
export function carrying(make: (text: string, visit: Visit) => string | Buffer): Play {
  return sending((answer, visit) => bytesOf(withBody(answer, make(answer.body.toString('utf8'), visit))));
}

export const CHUNKED = ['transfer-encoding: chunked', 'connection: close'] as const;

export function chunk(data: Buffer | string, extension = ''): Buffer {
  const bytes = Buffer.from(data as string);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

/** Body of a chunked answer: one chunk for each part. */
export function chunks(parts: readonly (Buffer | string)[], extension = ''): Buffer {
  return Buffer.concat([...parts.map((part) => chunk(part, extension)), Buffer.from('0\r\n\r\n')]);
}

/** The body in pieces of `size` bytes. */
export function pieces(body: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

/** Writes the same bytes again and again, as fast as they are read, up to `maxBytes` or until the connection ends. */
export async function pour(socket: Socket, part: Buffer, maxBytes = Number.POSITIVE_INFINITY): Promise<void> {
  for (let sent = 0; sent < maxBytes && !socket.destroyed && !socket.writableEnded; sent += part.length) {
    if (socket.write(part)) await new Promise(setImmediate);
    else await drained(socket);
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

/** Begins with the given bytes and then never ends. */
export function endless(begin: (answer: Answer) => Buffer | string, part: Buffer | string): Play {
  return async ({ socket, answer }) => {
    socket.write(begin(answer));
    await pour(socket, Buffer.from(part as string));
  };
}

/** Sends the bytes a few at a time. */
export async function drip(socket: Socket, bytes: Buffer, size: number, apartMs: number): Promise<void> {
  for (const piece of pieces(bytes, size)) {
    if (socket.destroyed) return;
    socket.write(piece);
    await delay(apartMs);
  }
}

/** Adds a member at the start of an answer; its value is JSON text. */
export function withMember(text: string, value: string, name = 'odd'): string {
  return text.replace(/^\{/, () => `{${JSON.stringify(name)}:${value},`);
}

/** Makes a large value once, on first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
