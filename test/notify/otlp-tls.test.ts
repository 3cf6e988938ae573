import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportOtlp } from '../../src/notify/otlp-export.ts';
import { telemetryIn } from '../../src/notify/telemetry-settings.ts';
import { certify, LOOPBACK_HOSTS, served } from '../probe/certificates.ts';

let folder: string;
let collector: https.Server;
const clients: (string | readonly string[] | undefined)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'probity-otlp-'));
  const root = await certify({ name: 'Root', authority: true });
  const server = await certify({ name: 'collector', issuer: root, hosts: LOOPBACK_HOSTS });
  const client = await certify({ name: 'probity', issuer: root });
  await writeFile(path.join(folder, 'root.pem'), root.pem);
  await writeFile(path.join(folder, 'client.pem'), client.pem);
  await writeFile(path.join(folder, 'client.key'), client.keyPem);
  const options = { ...served(server), ca: root.pem, requestCert: true, rejectUnauthorized: true };
  collector = https.createServer(options, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    clients.push(subject.CN);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterAll(async () => {
  collector?.closeAllConnections();
  collector?.close();
  await rm(folder, { recursive: true, force: true });
});

async function exportWith(files: Readonly<Record<string, string>>) {
  const { port } = collector.address() as AddressInfo;
  const named = Object.entries(files).map(([name, file]): [string, string] => [
    `OTEL_EXPORTER_OTLP_${name}`,
    path.join(folder, file),
  ]);
  const environment: Readonly<Record<string, string>> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `https://127.0.0.1:${port}`,
    ...Object.fromEntries(named),
  };
  const { traces, problems } = telemetryIn(environment);
  if (traces === null || problems.length > 0) throw new Error(problems.join(' '));
  return exportOtlp(traces, {}, 'probity/test');
}

it('trusts the authority of the collector, and shows the certificate of the client', async () => {
  const client = { CLIENT_CERTIFICATE: 'client.pem', CLIENT_KEY: 'client.key' };
  expect(await exportWith({ CERTIFICATE: 'root.pem', ...client })).toEqual({ kind: 'accepted' });
  expect(clients).toEqual(['probity']);
  // A variable of one signal comes first.
  expect(await exportWith({ CERTIFICATE: 'missing.pem', TRACES_CERTIFICATE: 'root.pem', ...client })).toEqual(
    {
      kind: 'accepted',
    },
  );
  expect((await exportWith({ ...client })).kind).toBe('refused');
  expect((await exportWith({ CERTIFICATE: 'root.pem' })).kind).toBe('refused');
  expect(clients).toEqual(['probity', 'probity']);
});

it('names the variable whose file cannot be read', async () => {
  expect(await exportWith({ CERTIFICATE: 'missing.pem' })).toEqual({
    kind: 'refused',
    reason: 'the file that OTEL_EXPORTER_OTLP_CERTIFICATE names cannot be read',
  });
});
