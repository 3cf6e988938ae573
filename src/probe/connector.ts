import net from 'node:net';
import tls from 'node:tls';
import type { TlsSession } from '../model/exchange.ts';
import { AddressRefused, refuseAddress } from './address-guard.ts';
import { createPublicLookup } from './public-lookup.ts';

export interface ConnectorOptions {
  /** Of the whole request; the signal ends it, this only shares it out among look-up and attempts. */
  readonly timeoutMs: number;
  /** Refuse every address that is not on the public internet. */
  readonly publicOnly: boolean;
  /** How names are looked up where only public addresses will do; in DNS, when left out. */
  readonly lookup?: net.LookupFunction;
}

/** An open connection, TLS included. */
export interface OpenConnection {
  readonly socket: net.Socket;
  readonly tls: TlsSession | null;
}

/**
 * Opens a connection to the host of a URL: TCP first, looked at, then TLS, whose certificate must be good for the host.
 * Rejects with what went wrong, or with the signal's reason.
 */
export function openConnection(
  url: URL,
  options: ConnectorOptions,
  signal: AbortSignal,
): Promise<OpenConnection> {
  return new Promise((resolve, reject) => {
    const { publicOnly } = options;
    const secure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Look-ups are only made for names.
    const refusedLiteral = publicOnly && net.isIP(host) !== 0 ? refusalOf(host) : null;
    if (refusedLiteral !== null) return reject(refusedLiteral);
    if (signal.aborted) return reject(signal.reason);
    const socket = net.connect({
      host,
      port: Number(url.port || (secure ? 443 : 80)),
      noDelay: true,
      autoSelectFamily: true,
      // Node gives up on every address but the last after this time, far ones that are sound among them.
      autoSelectFamilyAttemptTimeout: Math.max(MIN_ATTEMPT_MS, Math.floor(options.timeoutMs / 4)),
      ...(publicOnly ? { lookup: options.lookup ?? publicLookup(options.timeoutMs) } : {}),
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
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      // What the kernel says we are connected to counts, whatever was looked up before.
      const refusal = publicOnly ? refusalOf(socket.remoteAddress ?? 'an unknown address') : null;
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

/** The least that Node accepts. */
const MIN_ATTEMPT_MS = 10;

function refusalOf(address: string): AddressRefused | null {
  const why = refuseAddress(address);
  return why === null ? null : new AddressRefused(address, why);
}

/** Half of the time is for the lookup, so that a silent DNS server is not taken for a silent target. */
function publicLookup(timeoutMs: number): net.LookupFunction {
  return createPublicLookup({ timeoutMs: timeoutMs / 2 });
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
