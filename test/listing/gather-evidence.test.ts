import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type GatherOptions, gatherEvidence } from '../../src/listing/gather/gather-evidence.ts';
import type { Fetched, Gathered } from '../../src/model/listing.ts';
import { type ConnectionPool, createConnectionPool } from '../../src/probe/connection-pool.ts';
import { openConnection } from '../../src/probe/connector.ts';
import { type FetchOptions, fetchAddress } from '../../src/probe/fetch-address.ts';
import type { AgentOptions } from '../../src/probe/guarded-agent.ts';
import { deadAddress } from '../free-port.ts';
import { listingOf } from './listings.ts';
import { SIGNER, startSigstore } from './sigstore-instance.ts';

const ARTIFACT = Buffer.alloc(3_000_000, 'artifact');
const SHA256 = createHash('sha256').update(ARTIFACT).digest('hex');

interface Served {
  readonly url: string;
  readonly received: http.IncomingMessage[];
  readonly connections: () => number;
}

const pools: ConnectionPool[] = [];
afterAll(async () => {
  for (const pool of pools) await pool.close();
});

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: http.RequestListener): Promise<Served> {
  const received: http.IncomingMessage[] = [];
  let connections = 0;
  const server = http.createServer((request, response) => {
    received.push(request);
    listener(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
  };
}

function gather(
  changes: Readonly<Record<string, string | null>>,
  options: Partial<GatherOptions> = {},
): Promise<Gathered> {
  return gatherEvidence(listingOf(changes), { publicOnly: false, userAgent: 'test', ...options });
}

function poolWith(options: Partial<AgentOptions>): ConnectionPool {
  const pool = createConnectionPool({
    publicOnly: false,
    ca: null,
    connectTimeoutMs: 300_000,
    viaProxy: false,
    ...options,
  });
  pools.push(pool);
  return pool;
}

const OPTIONS: FetchOptions = {
  publicOnly: false,
  pool: poolWith({}),
  timeoutMs: 300_000,
  maxBytes: 1_000_000,
  exact: false,
  headers: [],
  signal: new AbortController().signal,
};

function codeOf(fetched: Fetched | null): string {
  return fetched?.kind === 'unanswered' ? fetched.reason.code : `answered ${fetched?.status}`;
}

describe('the evidence of a listing', () => {
  test('is fetched once each, without the headers for the server', async () => {
    const { url, received } = await serve((request, response) => {
      if (request.url === '/gone') response.writeHead(404);
      response.end(request.url === '/empty' ? '' : 'there');
    });
    const gathered = await gather({
      repository: `${url}/source?a=b`,
      documentation: `${url}/empty`,
      auditReport: `{ url: "${url}/gone", date: 2026-01-01, auditor: B }`,
      deployment: `{ instructions: "${url}/make", digest: "sha256:${SHA256}" }`,
      bearerEnv: 'PROBITY_TARGET_FORECAST',
    });
    expect(gathered).toMatchObject({
      repository: { kind: 'answered', url: `${url}/source?a=b`, status: 200, bytes: 5 },
      documentation: { status: 200, bytes: 0 },
      auditReport: { status: 404 },
      instructions: { status: 200 },
      artifact: null,
      attestation: null,
    });
    expect(received.map((request) => request.url).sort()).toEqual([
      '/empty',
      '/gone',
      '/make',
      '/source?a=b',
    ]);
    for (const { headers } of received) expect(Object.keys(headers)).not.toContain('authorization');
  });

  test('without a server or a known name has the fault of the network', async () => {
    const url = await deadAddress();
    const { repository, documentation } = await gather({
      repository: url,
      documentation: 'http://nonexistent.invalid/docs',
    });
    expect(repository).toMatchObject({ reason: { code: 'connection-refused', fault: 'network' } });
    expect(documentation).toMatchObject({ reason: { fault: 'network' } });
  });

  test('that never answers times out', async () => {
    const { url } = await serve(() => undefined);
    const { repository } = await gather({ repository: url }, { timeoutMs: 200 });
    expect(repository).toMatchObject({ reason: { code: 'timeout', fault: 'network' } });
  });

  test('is aborted when the run is interrupted', async () => {
    const controller = new AbortController();
    const { url } = await serve(() => controller.abort());
    const { repository } = await gather({ repository: url }, { signal: controller.signal });
    expect(codeOf(repository)).toBe('interrupted');
    expect(codeOf((await gather({ repository: url }, { signal: controller.signal })).repository)).toBe(
      'interrupted',
    );
  });
});

describe('redirects', () => {
  test('are followed, including relative ones, and the last address is reported', async () => {
    const { url } = await serve((request, response) => {
      const next: Readonly<Record<string, string>> = { '/a': '/b', '/b': 'c/d#part' };
      const location = next[request.url ?? ''];
      if (location === undefined) response.end('whole');
      else response.writeHead(302, { location }).end('not this');
    });
    expect(await fetchAddress(`${url}/a`, OPTIONS)).toMatchObject({
      kind: 'answered',
      url: `${url}/c/d`,
      status: 200,
      bytes: 5,
      sha256: createHash('sha256').update('whole').digest('hex'),
    });
  });

  test.each([5, 6])('%i in a row', async (count) => {
    const { url, received } = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(301, { location: `/${left - 1}` }).end();
    });
    expect(codeOf(await fetchAddress(`${url}/${count}`, OPTIONS))).toBe(
      count === 5 ? 'answered 200' : 'too-many-redirects',
    );
    expect(received).toHaveLength(6);
  });

  test.each(['file:///etc/passwd', 'ftp://example.org/', 'http://[', undefined])(
    'to %s are refused',
    async (location) => {
      const { url } = await serve((_, response) => {
        response.writeHead(302, location === undefined ? {} : { location }).end();
      });
      expect(codeOf(await fetchAddress(url, OPTIONS))).toBe('bad-redirect');
    },
  );
});

describe('with publicOnly', () => {
  test('an address of this machine is refused', async () => {
    const { url, connections } = await serve((_, response) => response.end('secret'));
    const gathered = await gather(
      {
        repository: url,
        build: `{ artifact: "${url}/a", digest: "sha256:${SHA256}", attestation: "${url}/b" }`,
      },
      { publicOnly: true },
    );
    expect(codeOf(gathered.repository)).toBe('address-refused');
    expect(codeOf(gathered.artifact)).toBe('address-refused');
    expect(gathered.attestation).toMatchObject({ fetched: { reason: { code: 'address-refused' } } });
    expect(connections()).toBe(0);
  });

  test('a redirect from a public address to a private one is refused', async () => {
    const inside = await serve((_, response) => response.end('secret'));
    const { port } = new URL(inside.url);
    const targets = [
      inside.url,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://user:word@127.0.0.1:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.1/',
    ];
    for (const location of targets) {
      const outside = await serve((_, response) => response.writeHead(302, { location }).end());
      // The guard accepts the first address, but it leads to this machine.
      const connect: typeof openConnection = (url, options, signal) =>
        url.hostname === 'directory.example.org'
          ? openConnection(new URL(outside.url), { ...options, publicOnly: false }, signal)
          : openConnection(url, options, signal);
      const fetched = await fetchAddress('http://directory.example.org/', {
        ...OPTIONS,
        publicOnly: true,
        pool: poolWith({ publicOnly: true, connect }),
      });
      expect(codeOf(fetched), location).toBe('address-refused');
      expect(outside.received).toHaveLength(1);
    }
    expect(inside.connections()).toBe(0);
  });
});

describe('the size of evidence is limited', () => {
  test('with or without a declared length, and an endless body is aborted', async () => {
    const { url } = await serve((_, response) => {
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(100_000), () => setImmediate(more));
      };
      more();
    });
    expect(codeOf(await fetchAddress(url, OPTIONS))).toBe('body-too-large');
  });

  test('and encoded bytes are not used for the digest', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    );
    expect(codeOf(await fetchAddress(url, { ...OPTIONS, exact: true }))).toBe('undecodable-body');
    expect(codeOf(await fetchAddress(url, OPTIONS))).toBe('answered 200');
  });
});

describe('a build', () => {
  test('has its digest computed and its attestation verified, inline or fetched', async () => {
    const sigstore = await startSigstore();
    const trustedRoot = { kind: 'given', text: sigstore.trustedRoot, name: 'root' } as const;
    const attested = await sigstore.attest({ sha256: SHA256 });
    const signed = await sigstore.signArtifact(ARTIFACT);
    const { url } = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/artifact' }).end('elsewhere');
      else response.end(request.url === '/artifact' ? ARTIFACT : JSON.stringify(signed));
    });
    const signer = `signer: { identity: "${SIGNER.identity}", issuer: "${SIGNER.issuer}" }`;
    for (const build of [
      `{ artifact: "${url}/moved", attestation: "${url}/bundle", ${signer} }`,
      `{ artifact: "${url}/moved", attestation: ${JSON.stringify(attested)} }`,
      `{ digest: "sha256:${SHA256}", attestation: ${JSON.stringify(attested)}, ${signer} }`,
    ]) {
      const { artifact, attestation } = await gather({ build }, { trustedRoot });
      expect(attestation).toEqual({ kind: 'verified', digest: `sha256:${SHA256}`, signer: SIGNER });
      if (artifact !== null) expect(artifact).toMatchObject({ bytes: ARTIFACT.length, sha256: SHA256 });
    }
  });

  test('with another artifact than the attested one is refused, whatever the digest in the listing', async () => {
    const sigstore = await startSigstore();
    const { url } = await serve((_, response) => response.end('something else'));
    const attested = JSON.stringify(await sigstore.attest({ sha256: SHA256 }));
    const { attestation } = await gather(
      { build: `{ artifact: "${url}", digest: "sha256:${SHA256}", attestation: ${attested} }` },
      { trustedRoot: { kind: 'given', text: sigstore.trustedRoot, name: 'root' } },
    );
    expect(attestation).toMatchObject({ kind: 'refused' });
  });

  test('with a missing or invalid attestation is reported', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/gone') response.writeHead(404);
      response.end('{');
    });
    const digest = `digest: "sha256:${SHA256}"`;
    expect((await gather({ build: `{ ${digest}, attestation: "${url}/gone" }` })).attestation).toMatchObject({
      kind: 'unfetched',
      fetched: { status: 404 },
    });
    expect((await gather({ build: `{ ${digest}, attestation: "${url}/none" }` })).attestation).toMatchObject({
      kind: 'refused',
    });
    expect((await gather({ build: '{ attestation: {} }' })).attestation).toMatchObject({ kind: 'refused' });
  });
});
