import type { X509Certificate } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';
import type { TlsSession } from '../model/exchange.ts';
import { AddressRefused, refuseAddress } from './address-guard.ts';
import { validToMs } from './certificate-chain.ts';
import { createPublicLookup } from './public-lookup.ts';

export interface ConnectorOptions {
  /** Of the whole request; the signal ends it, this only shares it out among look-up and attempts. */
  readonly timeoutMs: number;
  /** Refuse every address that is not on the public internet. */
  readonly publicOnly: boolean;
  /** The authorities whose certificates are trusted, as PEM; those that Node.js trusts when it is null. */
  readonly ca: string | null;
  /** How names are looked up where only public addresses will do; in DNS, when left out. */
  readonly lookup?: net.LookupFunction;
  /** Where a connection without TLS puts what it reads, and who is told; otherwise it emits data. */
  readonly onread?: net.OnReadOpts;
  /** Told when a name was looked up. */
  readonly onLookup?: () => void;
  /** Told when TCP is open. */
  readonly onConnected?: () => void;
  /** Told when TCP is open and TLS has its turn. */
  readonly onSecuring?: () => void;
}

/** An open connection, TLS included. */
export interface OpenConnection {
  readonly socket: net.Socket;
  readonly tls: TlsSession | null;
}

/** The server ended the connection before TLS was agreed upon. */
class HandshakeClosed extends Error {
  readonly code = 'ERR_TLS_HANDSHAKE_CLOSED';

  constructor(cause: Error) {
    super('the connection was closed during the TLS handshake', { cause });
  }
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
    const { publicOnly, ca } = options;
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
      ...(options.onread === undefined || secure ? {} : { onread: options.onread }),
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
    if (net.isIP(host) === 0) socket.once('lookup', () => options.onLookup?.());
    socket.once('connect', () => {
      options.onConnected?.();
      // What the kernel says we are connected to counts, whatever was looked up before.
      const refusal = publicOnly ? refusalOf(socket.remoteAddress ?? 'an unknown address') : null;
      if (refusal !== null) return fail(refusal);
      if (!secure) return succeed(null);
      options.onSecuring?.();
      const encrypted = tls.connect({
        socket,
        // Without it, the certificate of an address would be held against the name localhost.
        host,
        ...(net.isIP(host) ? {} : { servername: host }),
        ALPNProtocols: ['http/1.1'],
        // Said, because the environment could say otherwise.
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        ...(ca === null ? {} : { ca }),
      });
      open = encrypted;
      const failHandshake = (error: NodeJS.ErrnoException): void =>
        fail(CLOSED.has(error.code ?? '') ? new HandshakeClosed(error) : error);
      encrypted.once('error', failHandshake);
      return void encrypted.once('secureConnect', () => {
        encrypted.off('error', failHandshake);
        succeed(sessionOf(encrypted, ca));
      });
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

const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

function sessionOf(socket: tls.TLSSocket, ca: string | null): TlsSession {
  const protocol = socket.getProtocol() ?? 'unknown';
  return { protocol, validToMs: validToMs(chainOf(socket), ca, Date.now()) };
}

/** The certificates from the server's own up to the last one that is known. */
function chainOf(socket: tls.TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  const seen = new Set<string>();
  let certificate = socket.getPeerX509Certificate();
  while (certificate !== undefined && !seen.has(certificate.fingerprint256)) {
    seen.add(certificate.fingerprint256);
    chain.push(certificate);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}
