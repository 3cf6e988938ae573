import { Client } from 'undici';
import type { Header } from '../model/exchange.ts';
import type { PlannedRequest } from '../model/probe.ts';
import { openConnection } from './connector.ts';
import type { Answer, LiveProbeOptions } from './live-probe.ts';
import { FailedExchange } from './wire/send-request.ts';

/** Asks for an upgrade to WebSocket (RFC 6455, section 4.1), and goes away again once that was granted or refused. */
export async function shakeHands(
  planned: PlannedRequest,
  headers: readonly Header[],
  { bounds, publicOnly }: LiveProbeOptions,
  signal: AbortSignal,
  stopwatch: { connected(): void; firstByte(): void },
): Promise<Answer> {
  const url = new URL(planned.url);
  const client = new Client(url.origin, {
    connect: (_target, callback) => {
      openConnection(url, { timeoutMs: planned.timeoutMs, publicOnly }, signal).then(
        ({ socket }) => {
          stopwatch.connected();
          callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: bounds.maxHeaderBytes,
  });
  const onAbort = (): void => client.destroy(signal.reason, () => undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { status, headers: received } = await new Promise<{ status: number; headers: readonly Header[] }>(
      (resolve, reject) => {
        client.dispatch(
          {
            path: url.pathname + url.search,
            method: 'GET',
            upgrade: 'websocket',
            headers: headers.flat(),
          },
          {
            onRequestStart: () => undefined,
            onRequestUpgrade: ({ rawHeaders }, status, _headers, socket) => {
              stopwatch.firstByte();
              socket.on('error', () => undefined);
              socket.destroy();
              resolve({ status, headers: pairsOf(rawHeaders) });
            },
            // A refusal is told by its head; what it goes on to say is not waited for.
            onResponseStart: (controller, status) => {
              if (status < 200) return;
              stopwatch.firstByte();
              resolve({ status, headers: pairsOf(controller.rawHeaders) });
            },
            onResponseData: () => undefined,
            onResponseEnd: () => undefined,
            onResponseError: (_controller, error) => reject(error),
          },
        );
      },
    );
    const body = Buffer.alloc(0);
    const response = {
      version: '1.1',
      status,
      headers: received,
      body,
      trailers: [],
      informational: 0,
      oddities: [],
      framed: false,
    };
    return { kind: 'received', response, connection: { reused: false, tls: null } };
  } catch (error) {
    throw signal.aborted && signal.reason instanceof FailedExchange ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await client.destroy().catch(() => undefined);
  }
}

function pairsOf(raw: readonly (string | Buffer)[] | unknown): readonly Header[] {
  const texts = (Array.isArray(raw) ? raw : []).map((part: unknown) =>
    Buffer.isBuffer(part) ? part.toString('latin1') : String(part),
  );
  return texts.flatMap((name, index): readonly Header[] =>
    index % 2 === 0 ? [[name, (texts[index + 1] ?? '').trim()]] : [],
  );
}
