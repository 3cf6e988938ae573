import type { RequestListener } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { TransportFailureCode } from '../../src/model/exchange.ts';
import { certify, LOOPBACK_HOSTS, served } from './certificates.ts';

/** Something that listens where https is expected; what it answers is the caller's. */
export interface Endpoint {
  readonly name: string;
  readonly serverFor: (answer: RequestListener) => net.Server;
}

/** One that no client should send anything to, with what is said of it. */
export interface RefusedEndpoint extends Endpoint {
  readonly code: TransportFailureCode;
  readonly message: RegExp;
  /** It is found out by waiting only. */
  readonly hangs?: true;
}

/** One whose certificate ends at a time, in days from now. */
export interface EndingEndpoint extends Endpoint {
  readonly days: number;
}

const hosts = LOOPBACK_HOSTS;
const root = await certify({ name: 'Trusted root', authority: true, toDays: 3650 });
const stranger = await certify({ name: 'Unknown root', authority: true, toDays: 3650 });
const between = await certify({ name: 'Intermediate', issuer: root, authority: true, toDays: 365 });
const leaf = await certify({ name: 'leaf', issuer: root, hosts });

/** The authority that clients of these endpoints are told to trust, as PEM. */
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

/** Signs the trusted root anew, for clients that know only the older one. */
async function vouchedForUntil(days: number) {
  return certify({
    name: root.name,
    issuer: stranger,
    authority: true,
    keys: root.keys,
    fromDays: -400,
    toDays: days,
  });
}

const shortLived = await certify({ name: 'Short-lived', issuer: root, authority: true, toDays: 5 });
const ended = await certify({
  name: 'Ended',
  issuer: root,
  authority: true,
  fromDays: -30,
  toDays: -2,
});
const underBetween = await certify({ name: 'leaf', issuer: between, hosts });

export const soundEndpoints: readonly EndingEndpoint[] = [
  { ...secure('a certificate with 90 days left', served(leaf)), days: 90 },
  await ending(14.1),
  { ...secure('an intermediate certificate, and it is sent', served(underBetween, between)), days: 90 },
  { ...secure('the root is sent too', served(underBetween, between, root)), days: 90 },
  {
    ...secure('an older authority’s word for the root has ended', served(leaf, await vouchedForUntil(-20))),
    days: 90,
  },
  {
    ...secure('an older authority’s word for the root ends soon', served(leaf, await vouchedForUntil(5))),
    days: 90,
  },
  { ...secure('TLS 1.2 alone', { ...served(leaf), maxVersion: 'TLSv1.2' }), days: 90 },
  { ...secure('TLS 1.3 alone', { ...served(leaf), minVersion: 'TLSv1.3' }), days: 90 },
];

export const endingEndpoints: readonly EndingEndpoint[] = [
  await ending(13.9),
  await ending(10),
  await ending(0.01),
  {
    ...secure(
      'an intermediate certificate that ends sooner than the server’s own',
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
    message: /^the TLS certificate, or one that it rests on, has expired \(CERT_HAS_EXPIRED\)$/,
  },
  {
    ...secure(
      'an expired intermediate certificate',
      served(await certify({ name: 'leaf', issuer: ended, hosts }), ended),
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
    ...secure('a certificate that signs itself', served(await certify({ name: 'leaf', hosts }))),
    code: 'certificate-untrusted',
    message: /is self-signed: no authority vouches for it \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
  },
  {
    ...secure(
      'an authority that nobody knows',
      served(await certify({ name: 'leaf', issuer: stranger, hosts })),
    ),
    code: 'certificate-untrusted',
    message: /its issuer is not trusted here, or the server does not send the intermediate certificates/,
  },
  {
    ...secure(
      'an authority that nobody knows, and it is sent',
      served(await certify({ name: 'leaf', issuer: stranger, hosts }), stranger),
    ),
    code: 'certificate-untrusted',
    message: /comes from an authority that is not trusted here \(SELF_SIGNED_CERT_IN_CHAIN\)$/,
  },
  {
    ...secure('an intermediate certificate that is not sent', served(underBetween)),
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
    ...secure('nothing later than TLS 1.1', {
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
    ...bare('the connection is closed at once', (socket) => void socket.end()),
    code: 'tls-failure',
    message: /^the server closed the connection during the TLS handshake/,
  },
  {
    ...bare(
      'the connection is closed in the middle of the handshake',
      (socket) => void socket.once('data', () => socket.end()),
    ),
    code: 'tls-failure',
    message: /^the server closed the connection during the TLS handshake/,
  },
  {
    ...bare(
      'the connection is reset in the middle of the handshake',
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    ),
    code: 'tls-failure',
    message: /^the server closed the connection during the TLS handshake/,
  },
  {
    ...bare('the handshake never ends', () => undefined),
    code: 'tls-timeout',
    message: /^the connection was opened, but the TLS handshake was not over within \S+ s$/,
    hangs: true,
  },
];
