import { lookup as systemLookup } from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';
import type { buildConnector } from 'undici';
import { refuseAddress } from './address-guard.ts';

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** Refuse every address that is not on the public internet. */
  readonly publicOnly: boolean;
  readonly onConnected: () => void;
}

/** A connection that was not made, or was dropped before a byte was written, because of where it leads. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';

  constructor(address: string, why: string) {
    super(`${address} is not a public address: ${why}`);
  }
}

/** Opens the connections of the HTTP client: TCP first, looked at, then TLS. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    const secure = target.protocol === 'https:';
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const socket = net.connect({
      host,
      port: Number(target.port || (secure ? 443 : 80)),
      autoSelectFamily: true,
      noDelay: true,
      timeout: options.timeoutMs,
      ...(options.publicOnly ? { lookup: publicLookup } : {}),
    });
    const fail = (error: Error): void => {
      socket.destroy();
      callback(error, null);
    };
    const succeed = (ready: net.Socket | tls.TLSSocket): void => {
      ready.off('error', fail);
      socket.setTimeout(0);
      options.onConnected();
      callback(null, ready);
    };
    socket.once('error', fail);
    socket.once('timeout', () => fail(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' })));
    socket.once('connect', () => {
      const refusal = options.publicOnly ? refuseConnected(socket) : null;
      if (refusal !== null) return fail(refusal);
      if (!secure) return succeed(socket);
      const encrypted = tls.connect({
        socket,
        ALPNProtocols: ['http/1.1'],
        ...(net.isIP(host) ? {} : { servername: host }),
      });
      socket.off('error', fail);
      encrypted.once('error', fail);
      return void encrypted.once('secureConnect', () => succeed(encrypted));
    });
  };
}

/** What the kernel says we are connected to counts, whatever was looked up before. */
function refuseConnected(socket: net.Socket): AddressRefused | null {
  const { remoteAddress = 'an unknown address' } = socket;
  const why = refuseAddress(remoteAddress);
  return why === null ? null : new AddressRefused(remoteAddress, why);
}

/** One bad address among those of a name refuses the name: which of them is taken is not ours to choose. */
const publicLookup: net.LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    for (const { address } of addresses) {
      const why = refuseAddress(address);
      if (why !== null) return callback(new AddressRefused(address, why), []);
    }
    return options.all === true
      ? callback(null, addresses)
      : callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  });
};
