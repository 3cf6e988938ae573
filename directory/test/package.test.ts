import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listingOf } from './listings.ts';
import { type ServiceProcess, startService } from './service-process.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MANIFEST = JSON.parse(readFileSync(path.join(ROOT, 'directory/package.json'), 'utf8'));

let folder: string;
let tarball: Buffer;
let packedFiles: readonly string[];
let service: ServiceProcess;

function run(...command: readonly [string, ...string[]]): string {
  const [name, ...parameters] = command;
  const { DATABASE_URL: _other, ...environment } = process.env;
  const { status, stdout, stderr } = spawnSync(name, parameters, {
    cwd: folder,
    encoding: 'utf8',
    env: environment,
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout + stderr;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function pack(from: string): Packed {
  const parameters = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = spawnSync('npm', parameters, { cwd: path.join(ROOT, from), encoding: 'utf8' });
  const [packed] = JSON.parse(stdout) as readonly Packed[];
  if (packed === undefined) throw new Error(`npm pack made nothing of ${from}`);
  return packed;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'probity-directory-package-'));
  const harness = pack('.');
  const directory = pack('directory');
  packedFiles = directory.files.map((file) => file.path);
  tarball = readFileSync(path.join(folder, directory.filename));
  writeFileSync(path.join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  writeFileSync(path.join(folder, '.npmrc'), 'engine-strict=true\n');
  const npm = ['install', '--no-audit', '--no-fund', '--prefer-offline'];
  const printed = run('npm', ...npm, `./${harness.filename}`, `./${directory.filename}`);
  // Settings of the machine are none of the package.
  const isOurs = (line: string): boolean => !/unknown (user|env|project) config/i.test(line);
  expect(printed.split('\n').filter((line) => /^npm (warn|error)/i.test(line) && isOurs(line))).toEqual([]);
  service = startService({
    data: path.join(folder, 'data'),
    databaseUrl: null,
    more: ['--no-background'],
    command: [path.join(folder, 'node_modules/probity-directory/dist/probity-directory.js')],
  });
});

afterAll(async () => {
  await service.stop();
});

describe('the package of the directory', () => {
  it('holds what is used, and nothing else', () => {
    expect(packedFiles).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'dist/third-party-licenses.txt',
        ...MANIFEST.sideEffects.map((file: string) => path.posix.normalize(file)),
      ]),
    );
    const others = packedFiles.filter(
      (file) =>
        !/^dist\/([^/]+|store\/[^/]+|types\/index\.d\.ts)$|^(package\.json|README\.md|LICENSE)$/.test(file),
    );
    expect(others).toEqual([]);
  });

  it('has the version of the harness, and takes no other', () => {
    const { version, engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(MANIFEST).toMatchObject({ version, engines, peerDependencies: { probity: version } });
  });

  it('is what publint expects', async () => {
    const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
    expect(messages).toEqual([]);
  });

  it('serves, adds and searches, as its own command and as `probity directory`', async () => {
    const url = await service.url;
    const listing = listingOf('weather', 'http://127.0.0.1:9', {
      name: 'Weather',
      uptime: 99,
      responseTime: 10,
    });
    writeFileSync(path.join(folder, 'servers.ndjson'), `${JSON.stringify({ listing: 'v1', ...listing })}\n`);
    run(
      'npx',
      '--no',
      'probity-directory',
      'import',
      'servers.ndjson',
      '--listed',
      '--allow-private',
      '--data',
      'data',
    );
    const printed = run('npx', '--no', 'probity', 'directory', 'key', 'create', 'reader', '--data', 'data');
    const [key] = /^prb_\S+$/m.exec(printed) ?? [];
    const answer = await fetch(`${url}/v1/servers/search?q=weather`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await answer.json()).toMatchObject({ servers: [{ id: 'weather' }] });
  });

  it('says what is wrong as `probity` does', () => {
    const parameters = ['--no', 'probity', 'directory', 'key', 'create', ' '];
    const { status, stderr } = spawnSync('npx', parameters, { cwd: folder, encoding: 'utf8' });
    expect(stderr).toContain('Give the key a name, so that the list says whose it is.\n');
    expect(stderr).not.toContain('fault');
    expect(status).toBe(2);
  });
});
