import { X509Certificate } from 'node:crypto';
import dns from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';
import type { TlsSession } from '../model/exchange.ts';
import { AddressRefused, refuseAddress } from './address-guard.ts';
import { certificatesIn } from './certificates.ts';
import { createPublicLookup } from './public-lookup.ts';
import type { EndSignal } from './wire/ending.ts';

export interface ConnectorOptions {
  /** The time-out of the whole request. The signal enforces it; here it only limits the lookup and each attempt. */
  readonly timeoutMs: number;
  /** Refuse every address that is not on the public internet. */
  readonly publicOnly: boolean;
  /** Trusted authorities as PEM; null: those that Node.js trusts. */
  readonly ca: string | null;
  /** Resolves names if only public addresses are allowed; default: DNS. */
  readonly lookup?: net.LookupFunction;
  /** Buffer and callback for the data of a connection without TLS; by default, the socket emits data. */
  readonly onread?: net.OnReadOpts;
  readonly onLookup?: () => void;
  readonly onConnected?: () => void;
  readonly onSecuring?: () => void;
}

/** An open connection, after the TLS handshake if any. */
export interface OpenConnection {
  readonly socket: net.Socket;
  readonly tls: TlsSession | null;
}

/** The server closed the connection during the TLS handshake. */
class HandshakeClosed extends Error {
  readonly code = 'ERR_TLS_HANDSHAKE_CLOSED';

  constructor(cause: Error) {
    super('the connection was closed during the TLS handshake', { cause });
  }
}

/**
 * Opens a connection to the host of a URL: first TCP, whose address is checked, then TLS, whose certificate must be
 * valid for the host. Rejects with the error, or with the signal's reason.
 */
export function openConnection(
  url: URL,
  options: ConnectorOptions,
  signal: EndSignal,
): Promise<OpenConnection> {
  return new Promise((resolve, reject) => {
    const { publicOnly, ca } = options;
    const secure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Node looks up only names, so the lookup function never sees a literal address.
    const refusedLiteral = publicOnly && net.isIP(host) !== 0 ? refusalOf(host) : null;
    if (refusedLiteral !== null) return reject(refusedLiteral);
    if (signal.aborted) return reject(signal.reason);
    const socket = net.connect({
      host,
      port: Number(url.port || (secure ? 443 : 80)),
      noDelay: true,
      autoSelectFamily: true,
      // Node abandons each address but the last after this time, even one that is only far away.
      autoSelectFamilyAttemptTimeout: Math.max(MIN_ATTEMPT_MS, Math.floor(options.timeoutMs / 4)),
      ...(options.onread === undefined || secure ? {} : { onread: options.onread }),
      ...(publicOnly
        ? // Half of the time, so that a silent DNS server is not reported as a silent target.
          { lookup: options.lookup ?? createPublicLookup({ timeoutMs: options.timeoutMs / 2 }) }
        : host === 'localhost'
          ? { lookup: lookUpLocalhost }
          : {}),
    });
    let open: net.Socket = socket;
    const onAbort = (): void => fail(signal.reason);
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      // Later errors of an abandoned connection are ignored.
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
      // The address that the kernel reports counts, not the result of the lookup.
      const refusal = publicOnly ? refusalOf(socket.remoteAddress ?? 'an unknown address') : null;
      if (refusal !== null) return fail(refusal);
      if (!secure) return succeed(null);
      options.onSecuring?.();
      const encrypted = tls.connect({
        socket,
        // Without `host`, Node would check the certificate of an IP address against the name localhost.
        host,
        ...(net.isIP(host) ? {} : { servername: host }),
        ALPNProtocols: ['http/1.1'],
        // Explicit, because an environment variable could disable it.
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

/** The minimum that Node accepts. */
const MIN_ATTEMPT_MS = 10;

function refusalOf(address: string): AddressRefused | null {
  const why = refuseAddress(address);
  return why === null ? null : new AddressRefused(address, why);
}

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const;

/** Many machines name only one of the two addresses, and a server often listens only on the other one. */
const lookUpLocalhost: net.LookupFunction = (host, options, callback) =>
  dns.lookup(host, { ...options, all: true }, (_error, found: readonly dns.LookupAddress[] = []) =>
    callback(null, [
      ...found,
      ...LOOPBACK.filter(({ address }) => found.every((known) => known.address !== address)),
    ]),
  );

const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

function sessionOf(socket: tls.TLSSocket, ca: string | null): TlsSession {
  const protocol = socket.getProtocol() ?? 'unknown';
  return { protocol, validToMs: validToMs(chainOf(socket), ca, Date.now()) };
}

/** The certificates from the server's own to the last known issuer. */
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

/**
 * Until when the chain of an accepted server is valid: the earliest end date among its certificates, up to the first
 * trusted authority. Certificates beyond it, such as an older authority's signature of that one, are ignored by clients
 * and may have expired.
 */
export function validToMs(chain: readonly X509Certificate[], ca: string | null, nowMs: number): number {
  const ends = chain.map(endOf);
  const earliestMs = Math.min(...ends);
  // The server's own certificate nearly always ends first; then the authorities need not be read.
  if (earliestMs === ends[0]) return earliestMs;
  const authorities = authoritiesOf(ca);
  for (const [index, certificate] of chain.entries()) {
    const issuers = authorities.filter((authority) => isIssuedBy(certificate, authority));
    if (issuers.length > 0) return Math.min(...ends.slice(0, index + 1), Math.max(...issuers.map(endOf)));
  }
  // The trusted authority may be unknown here. Expired certificates cannot be the reason why the server was accepted.
  return Math.min(...ends.filter((endMs) => endMs > nowMs));
}

function endOf({ validTo }: X509Certificate): number {
  return Date.parse(validTo);
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

let defaultAuthorities: readonly X509Certificate[] | null = null;

/** Reading the default authorities is slow, so it is done once and only if needed. */
function authoritiesOf(ca: string | null): readonly X509Certificate[] {
  if (ca !== null) return certificatesIn(ca);
  const { getCACertificates } = tls as { readonly getCACertificates?: () => readonly string[] };
  defaultAuthorities ??= (getCACertificates?.() ?? tls.rootCertificates).map(
    (pem) => new X509Certificate(pem),
  );
  return defaultAuthorities;
}
