import type { RequestListener } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { TransportFailureCode } from '../../src/model/exchange.ts';
import { certify, LOOPBACK_HOSTS, served } from './certificates.ts';

/** A server at an https URL; the caller provides its answers. */
export interface Endpoint {
  readonly name: string;
  readonly serverFor: (answer: RequestListener) => net.Server;
}

/** An endpoint that clients must refuse, with the expected failure. */
export interface RefusedEndpoint extends Endpoint {
  readonly code: TransportFailureCode;
  readonly message: RegExp;
  /** It is refused only after a time-out. */
  readonly hangs?: true;
}

/** An endpoint with the validity of its certificate, in days from now. */
export interface EndingEndpoint extends Endpoint {
  readonly days: number;
}

const hosts = LOOPBACK_HOSTS;
const root = await certify({ name: 'Trusted root', authority: true, toDays: 3650 });
const unknownRoot = await certify({ name: 'Unknown root', authority: true, toDays: 3650 });
const intermediate = await certify({ name: 'Intermediate', issuer: root, authority: true, toDays: 365 });
const leaf = await certify({ name: 'leaf', issuer: root, hosts });

/** The authority that clients of these endpoints must trust, as PEM. */
export const trustedPem = root.pem;

type Served = ReturnType<typeof served>;

function secure(name: string, options: Served & https.ServerOptions): Endpoint {
  return { name, serverFor: (answer) => https.createServer(options, answer) };
}

function bare(name: string, onConnection: (socket: net.Socket) => void): Endpoint {
  return {
    name,
    serverFor: () =>
      net.createServer((socket) => {
        socket.on('error', () => undefined);
        onConnection(socket);
      }),
  };
}

async function ending(days: number): Promise<EndingEndpoint> {
  const certificate = await certify({ name: `${days} days`, issuer: root, hosts, toDays: days });
  return { ...secure(`a certificate with ${days} days left`, served(certificate)), days };
}

/** Cross-signs the trusted root, for clients that know only an older authority. */
async function crossSignedRoot(days: number) {
  return certify({
    name: root.name,
    issuer: unknownRoot,
    authority: true,
    keys: root.keys,
    fromDays: -400,
    toDays: days,
  });
}

const shortLived = await certify({ name: 'Short-lived', issuer: root, authority: true, toDays: 5 });
const expired = await certify({
  name: 'Ended',
  issuer: root,
  authority: true,
  fromDays: -30,
  toDays: -2,
});
const leafOfIntermediate = await certify({ name: 'leaf', issuer: intermediate, hosts });

export const acceptedEndpoints: readonly EndingEndpoint[] = [
  { ...secure('a certificate with 90 days left', served(leaf)), days: 90 },
  await ending(14.1),
  {
    ...secure('an intermediate certificate that is sent', served(leafOfIntermediate, intermediate)),
    days: 90,
  },
  { ...secure('a root that is sent too', served(leafOfIntermediate, intermediate, root)), days: 90 },
  {
    ...secure('an expired cross-signature of the root', served(leaf, await crossSignedRoot(-20))),
    days: 90,
  },
  {
    ...secure('a cross-signature of the root that expires soon', served(leaf, await crossSignedRoot(5))),
    days: 90,
  },
  { ...secure('TLS 1.2 only', { ...served(leaf), maxVersion: 'TLSv1.2' }), days: 90 },
  { ...secure('TLS 1.3 only', { ...served(leaf), minVersion: 'TLSv1.3' }), days: 90 },
];

export const endingEndpoints: readonly EndingEndpoint[] = [
  await ending(13.9),
  await ending(10),
  await ending(0.01),
  {
    ...secure(
      'an intermediate certificate that expires before the server’s own',
      served(await certify({ name: 'leaf', issuer: shortLived, hosts }), shortLived),
    ),
    days: 5,
  },
];

export const refusedEndpoints: readonly RefusedEndpoint[] = [
  {
    ...secure(
      'an expired certificate',
      served(await certify({ name: 'leaf', issuer: root, hosts, fromDays: -90, toDays: -1 })),
    ),
    code: 'certificate-expired',
    message: /^the TLS certificate, or one in its chain, has expired \(CERT_HAS_EXPIRED\)$/,
  },
  {
    ...secure(
      'an expired intermediate certificate',
      served(await certify({ name: 'leaf', issuer: expired, hosts }), expired),
    ),
    code: 'certificate-expired',
    message: /has expired/,
  },
  {
    ...secure(
      'a certificate that is not valid yet',
      served(await certify({ name: 'leaf', issuer: root, hosts, fromDays: 1, toDays: 91 })),
    ),
    code: 'certificate-not-yet-valid',
    message: /is not valid yet \(CERT_NOT_YET_VALID\)$/,
  },
  {
    ...secure('a self-signed certificate', served(await certify({ name: 'leaf', hosts }))),
    code: 'certificate-untrusted',
    message: /is self-signed: no authority issued it \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
  },
  {
    ...secure('an unknown authority', served(await certify({ name: 'leaf', issuer: unknownRoot, hosts }))),
    code: 'certificate-untrusted',
    message: /its issuer is not trusted here, or the server does not send the intermediate certificates/,
  },
  {
    ...secure(
      'an unknown authority that is sent',
      served(await certify({ name: 'leaf', issuer: unknownRoot, hosts }), unknownRoot),
    ),
    code: 'certificate-untrusted',
    message: /comes from an authority that is not trusted here \(SELF_SIGNED_CERT_IN_CHAIN\)$/,
  },
  {
    ...secure('an intermediate certificate that is not sent', served(leafOfIntermediate)),
    code: 'certificate-untrusted',
    message: /the server does not send the intermediate certificates \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/,
  },
  {
    ...secure(
      'an issuer that may not sign others',
      served(await certify({ name: 'below the leaf', issuer: leaf, hosts }), leaf),
    ),
    code: 'certificate-untrusted',
    message: /^the TLS certificate is not acceptable \(INVALID_/,
  },
  {
    ...secure(
      'a certificate for another host',
      served(await certify({ name: 'leaf', issuer: root, hosts: [{ type: 'dns', value: 'other.example' }] })),
    ),
    code: 'certificate-wrong-host',
    message: /is for another host name \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
  },
  {
    ...secure(
      'a certificate for localhost at an address',
      served(await certify({ name: 'leaf', issuer: root, hosts: [{ type: 'dns', value: 'localhost' }] })),
    ),
    code: 'certificate-wrong-host',
    message: /is for another host name/,
  },
  {
    ...secure('TLS 1.1 at most', {
      ...served(leaf),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    }),
    code: 'tls-too-old',
    message: /^the server offers no version of TLS that is still accepted \(1\.2 or later\) \(ERR_SSL_/,
  },
  {
    ...bare(
      'plain HTTP',
      (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ),
    code: 'tls-failure',
    message: /^the server does not speak TLS on this port \(ERR_SSL_WRONG_VERSION_NUMBER\)$/,
  },
  {
    ...bare('a connection that is closed at once', (socket) => void socket.end()),
    code: 'tls-failure',
    message: /^the server closed the connection during the TLS handshake/,
  },
  {
    ...bare(
      'a connection that is closed during the handshake',
      (socket) => void socket.once('data', () => socket.end()),
    ),
    code: 'tls-failure',
    message: /^the server closed the connection during the TLS handshake/,
  },
  {
    ...bare(
      'a connection that is reset during the handshake',
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    ),
    code: 'tls-failure',
    message: /^the server closed the connection during the TLS handshake/,
  },
  {
    ...bare('a handshake that never ends', () => undefined),
    code: 'tls-timeout',
    message: /^the connection was opened, but the TLS handshake was not complete within \S+ s$/,
    hangs: true,
  },
];
