import type { CallPhases } from '../../model/bench.ts';
import type { LoadRequest, TransportOptions } from '../../model/load.ts';
import { type ConnectorOptions, openConnection } from '../connector.ts';
import { sendRequest } from '../wire/send-request.ts';
import { LIMITS } from './lean-transport.ts';

/** Makes a call over a new connection. Rejects if there is no answer. */
export async function timePhases(request: LoadRequest, options: TransportOptions): Promise<CallPhases> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  const startMs = performance.now();
  let lookedUpMs: number | null = null;
  let connectedMs = startMs;
  const hooks: ConnectorOptions = {
    ...options,
    onLookup: () => {
      lookedUpMs = performance.now();
    },
    onConnected: () => {
      connectedMs = performance.now();
    },
  };
  const { socket, tls } = await openConnection(new URL(request.url), hooks, signal);
  const openMs = performance.now();
  let firstByteMs = openMs;
  let hasBegun = false;
  const { method, url, headers, body } = request;
  const wire = { method, url: new URL(url), headers, body };
  let endMs = openMs;
  try {
    await sendRequest(socket, wire, LIMITS, signal, {
      firstByte: () => {
        if (!hasBegun) firstByteMs = performance.now();
        hasBegun = true;
      },
      bodyBytesSent: () => undefined,
    });
    endMs = performance.now();
  } finally {
    socket.destroy();
  }
  return {
    lookupMs: lookedUpMs === null ? null : lookedUpMs - startMs,
    connectMs: connectedMs - (lookedUpMs ?? startMs),
    tlsMs: tls === null ? null : openMs - connectedMs,
    firstByteMs: firstByteMs - openMs,
    downloadMs: endMs - firstByteMs,
  };
}
