import { lookup as systemLookup } from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';
import type { TlsSession } from '../model/exchange.ts';
import { refuseAddress } from './address-guard.ts';

/** An open connection, TLS included. */
export interface OpenConnection {
  readonly socket: net.Socket;
  readonly tls: TlsSession | null;
}

/** A connection that was not made, or was dropped before a byte was written, because of where it leads. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';

  constructor(address: string, why: string) {
    super(`${address} is not a public address: ${why}`);
  }
}

/**
 * Opens a connection to the host of a URL: TCP first, looked at, then TLS, whose certificate must be good for the host.
 * Rejects with what went wrong, or with the signal's reason. `publicOnly` refuses every address that is not on the
 * public internet.
 */
export function openConnection(url: URL, publicOnly: boolean, signal: AbortSignal): Promise<OpenConnection> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const socket = net.connect({
      host,
      port: Number(url.port || (secure ? 443 : 80)),
      autoSelectFamily: true,
      noDelay: true,
      ...(publicOnly ? { lookup: publicLookup } : {}),
    });
    let open: net.Socket = socket;
    const onAbort = (): void => fail(signal.reason);
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      // Later errors of a connection that is given up are nobody's.
      open.on('error', () => undefined);
      open.destroy();
      socket.destroy();
      reject(error);
    };
    const succeed = (session: TlsSession | null): void => {
      signal.removeEventListener('abort', onAbort);
      open.off('error', fail);
      resolve({ socket: open, tls: session });
    };
    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      const refusal = publicOnly ? refuseConnected(socket) : null;
      if (refusal !== null) return fail(refusal);
      if (!secure) return succeed(null);
      const encrypted = tls.connect({
        socket,
        ALPNProtocols: ['http/1.1'],
        ...(net.isIP(host) ? {} : { servername: host }),
      });
      open = encrypted;
      encrypted.once('error', fail);
      return void encrypted.once('secureConnect', () => succeed(sessionOf(encrypted)));
    });
  });
}

/** A chain is good for as long as the certificate in it that ends first. */
function sessionOf(socket: tls.TLSSocket): TlsSession {
  const ends: number[] = [];
  const seen = new Set<string>();
  let certificate: tls.DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.fingerprint256 !== undefined && !seen.has(certificate.fingerprint256)) {
    seen.add(certificate.fingerprint256);
    ends.push(Date.parse(certificate.valid_to));
    certificate = certificate.issuerCertificate;
  }
  return { protocol: socket.getProtocol() ?? 'unknown', validToMs: Math.min(...ends) };
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
