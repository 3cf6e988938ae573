import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listingOf } from '../../directory/test/entries/listings.ts';
import { type ServiceProcess, startService } from '../../directory/test/service-process.ts';
import { createUserProject, type Packed, type UserProject } from './packed.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MANIFEST = JSON.parse(readFileSync(path.join(ROOT, 'directory/package.json'), 'utf8'));

let project: UserProject;
let packed: Packed;
let service: ServiceProcess;

beforeAll(() => {
  project = createUserProject();
  packed = project.pack('directory');
  expect(project.install(project.pack('.'), packed)).toEqual([]);
  service = startService({
    data: path.join(project.folder, 'data'),
    databaseUrl: null,
    more: ['--queues', 'test'],
    command: [path.join(project.folder, 'node_modules/probity-directory/dist/probity-directory.js')],
  });
});

afterAll(async () => {
  await service.stop();
});

describe('the package of the directory', () => {
  it('contains only the files that are used', () => {
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'dist/third-party-licenses.txt',
        ...MANIFEST.sideEffects.map((file: string) => path.posix.normalize(file)),
      ]),
    );
    const others = packed.files.filter(
      (file) =>
        !/^dist\/([^/]+|store\/[^/]+|types\/index\.d\.ts)$|^(package\.json|README\.md|LICENSE)$/.test(file),
    );
    expect(others).toEqual([]);
  });

  it('has the version of the harness, and requires it', () => {
    const { version, engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(MANIFEST).toMatchObject({ version, engines, peerDependencies: { probity: version } });
  });

  it('passes publint', async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(packed.tarball).buffer },
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  it('serves, imports and searches, as `probity-directory` and as `probity directory`', async () => {
    const url = await service.url;
    const listing = listingOf('weather', 'http://127.0.0.1:9', {
      name: 'Weather',
      uptime: 99,
      responseTime: 10,
    });
    writeFileSync(
      path.join(project.folder, 'servers.ndjson'),
      `${JSON.stringify({ listing: 'v1', ...listing })}\n`,
    );
    project.run(
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
    const printed = project.run(
      'npx',
      '--no',
      'probity',
      'directory',
      'key',
      'create',
      'reader',
      '--data',
      'data',
    );
    const [key] = /^prb_\S+$/m.exec(printed) ?? [];
    const answer = await fetch(`${url}/v1/servers/search?q=weather`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await answer.json()).toMatchObject({ servers: [{ id: 'weather' }] });
  });

  it('prints errors like `probity`', () => {
    const parameters = ['--no', 'probity', 'directory', 'key', 'create', ' '];
    const { status, stderr } = spawnSync('npx', parameters, { cwd: project.folder, encoding: 'utf8' });
    expect(stderr).toContain('Give the key a name, so that the list says whose it is.\n');
    expect(stderr).not.toContain('fault');
    expect(status).toBe(2);
  });
});
