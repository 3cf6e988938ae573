import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { createReference } from '../../../src/reference/contract.ts';
import { type ServedTarget, serve } from '../../conforming/serve.ts';
import { certify, LOOPBACK_HOSTS, served } from '../../probe/certificates.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const root = await certify({ name: 'A private authority', authority: true });
const leaf = await certify({ name: 'leaf', issuer: root, hosts: LOOPBACK_HOSTS, toDays: 60 });
const folder = emptyFolder();
const authorityFile = path.join(folder, 'authority.pem');

let target: ServedTarget;
let url: string;

beforeAll(async () => {
  writeFileSync(authorityFile, root.pem);
  target = await serve(createReference({ form: 'B' }).answer, {
    serverFor: (answer) => https.createServer(served(leaf), answer),
    scheme: 'https',
  });
  url = target.url;
});
afterAll(() => target.close());

const SOME = ['--only', 'health/*,capabilities/reachable,security/*', '--json'];

function failedRows(stdout: string): readonly string[] {
  const { results } = JSON.parse(stdout) as TestResult;
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
}

describe.concurrent('a server with a certificate of a private authority', () => {
  test('is not trusted, with advice', async () => {
    const { code, stdout } = await runCommand(['check', url, ...SOME]);
    expect(code).toBe(3);
    expect(failedRows(stdout)).toEqual([
      'health/reachable',
      'capabilities/reachable',
      'security/certificate',
    ]);
    const { findings } = JSON.parse(stdout) as TestResult;
    for (const { received, message, fix } of findings) {
      expect(received).toContain('certificate-untrusted');
      expect(message).toContain('its issuer is not trusted here');
      expect(fix).toContain('--ca');
    }
  });

  test('is judged after a wait, and prevents starting another server', async () => {
    const cwd = emptyFolder();
    const waited = await runCommand(['check', url, ...SOME, '--wait', '5s'], { cwd });
    expect(waited.stderr).toContain('its issuer is not trusted here');
    expect(failedRows(waited.stdout)).toContain('security/certificate');
    const started = await runCommand(['check', url, ...SOME, '--start', 'echo x > started'], { cwd });
    expect(started).toMatchObject({ code: 2, stdout: '' });
    expect(started.stderr).toContain('Another server already uses');
    expect(readdirSync(cwd)).not.toContain('started');
  });

  test.each<readonly [string, readonly string[], Readonly<Record<string, string>>]>([
    ['--ca', ['--ca', authorityFile], {}],
    ['NODE_EXTRA_CA_CERTS', [], { NODE_EXTRA_CA_CERTS: authorityFile }],
  ])('is trusted if the authority is set with %s', async (_how, args, env) => {
    const cwd = emptyFolder();
    const { code, stdout } = await runCommand(['check', url, ...SOME, ...args], { cwd, env });
    expect(failedRows(stdout)).toEqual([]);
    expect(code).toBe(0);
    const [name = ''] = readdirSync(path.join(cwd, 'reports'));
    const report = readFileSync(path.join(cwd, 'reports', name), 'utf8');
    expect(report).toMatch(/"TLSv1.3, the certificate is valid to \d{4}-\d\d-\d\d"/);
    expect(report).not.toContain('BEGIN CERTIFICATE');
    expect(report).not.toContain('authority.pem');
    expect(report).not.toContain('"ca"');

    // Without the network no trust is needed.
    const judged = await runCommand(['judge', path.join('reports', name), '--json'], { cwd });
    expect(judged.stdout).toBe(stdout);
  });

  test('is trusted by plan too', async () => {
    const { code, stdout } = await runCommand(['plan', url, '--ca', authorityFile]);
    expect(code).toBe(0);
    expect(stdout).toContain('execute/call');
    expect((await runCommand(['plan', url])).code).toBe(3);
  });

  test('is not trusted if another authority is set', async () => {
    const other = path.join(folder, 'other.pem');
    writeFileSync(other, (await certify({ name: 'Another', authority: true })).pem);
    const { code } = await runCommand(['check', url, '--ca', other, ...SOME]);
    expect(code).toBe(3);
  });

  test('is trusted if the authority is one of several', async () => {
    const both = path.join(folder, 'both.pem');
    const other = await certify({ name: 'Another', authority: true });
    writeFileSync(both, `# Our own\n${other.pem}\n# and theirs\n${root.pem}`);
    const { code } = await runCommand(['check', url, '--ca', both, ...SOME]);
    expect(code).toBe(0);
  });

  test.each([
    ['a missing file', undefined, /cannot read .*: the file does not exist\./],
    ['a file without a certificate', 'nothing', /contain no certificate\. Use PEM certificates/],
    ['an empty file', '', /contain no certificate/],
    ['a private key', leaf.keyPem, /contain no certificate/],
    [
      'an invalid certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      /is not a certificate\. Use PEM certificates/,
    ],
    [
      'a valid one and an invalid one',
      `${root.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      /is not a certificate/,
    ],
  ])('with %s is reported before the first request', async (what, content, message) => {
    const file = path.join(folder, `${what.replaceAll(' ', '-')}.pem`);
    if (content !== undefined) writeFileSync(file, content);
    for (const command of ['check', 'plan']) {
      const { code, stdout, stderr } = await runCommand([command, url, '--ca', file]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
    }
  });
});
