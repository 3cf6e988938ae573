import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { eventually } from '../../../test/eventually.ts';
import { freshDataFolder, openEmbedded } from '../db/stores.ts';
import { answerFor, type FakeRegistry, PACKAGE, remoteAt, startRegistry } from '../registry/fake-registry.ts';
import { startService } from '../service-process.ts';

let registry: FakeRegistry;
beforeAll(async () => {
  registry = await startRegistry([
    { name: 'com.example/package', more: PACKAGE },
    { name: 'com.example/remote', more: remoteAt('http://127.0.0.1:9/mcp') },
  ]);
});
afterAll(() => registry?.stop());

/** Runs commands on a directory of their own, which this process has opened. */
async function freshDirectory() {
  const { folder: data, close } = await openEmbedded();
  onTestFinished(close);
  return (...args: readonly string[]) =>
    runCommand(['directory', ...args, '--data', data], { env: { DATABASE_URL: '' } });
}

describe('registries from the command line', () => {
  it('are followed, listed, and left', async () => {
    const probity = await freshDirectory();
    expect((await probity('follow')).stderr).toContain('probity directory follow URL');
    const followed = await probity('follow', `${registry.url}/v0.1/`, '--allow-private', '--every', '15m');
    expect([followed.code, followed.stderr]).toMatchObject([
      0,
      expect.stringContaining('2 new or changed, 0 refused'),
    ]);
    const { stdout } = await probity('follow');
    expect(stdout).toMatch(new RegExp(`^${registry.url}  2 servers  every 15m  read \\d{4}-`));
    // It has no repository, so it is rejected before any test; the advice is complete.
    const rejected = await probity('list', '--rejected');
    expect(rejected.stdout).toMatch(/^com\.example\.remote {2}reject/);
    expect(rejected.stdout).toContain('listing/open-or-verifiable failed');
    const [, advice = ''] = /all the same: probity directory (.*)$/m.exec(rejected.stdout) ?? [];
    const approved = await runCommand(
      ['directory', ...advice.split(' ').map((word) => word.replaceAll('"', ''))],
      { env: { DATABASE_URL: '' } },
    );
    expect([approved.code, approved.stderr]).toMatchObject([0, expect.stringContaining('is listed')]);
    const left = await probity('follow', registry.url, '--allow-private', '--stop', '--by', 'ada');
    expect(left.code).toBe(0);
    expect((await probity('follow')).stdout).toContain('no longer followed');
    const log = (await probity('log', '--json')).stdout;
    expect(log).toContain('"action":"follow"');
    expect(log).toMatch(/"operator":"ada","action":"unfollow"/);
    expect((await probity('follow', registry.url, '--allow-private', '--stop')).stderr).toContain(
      'These are: none',
    );
  });

  it.each([
    [['ftp://registry.example'], /not the address of a registry/],
    [['https://ada:secret@registry.example'], /not the address of a registry/],
    [['http://127.0.0.1:1'], /--allow-private/],
    [['https://registry.example', '--every', '3600'], /30s, 15m, 1h or 1d/],
    [['https://registry.example', '--every', '400d'], /up to 365d/],
  ])('follow refuses %j', async (args, problem) => {
    const refused = await runCommand(['directory', 'follow', ...args], { env: { DATABASE_URL: '' } });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(problem)]);
  });

  it('is read again later when it does not answer', async () => {
    const probity = await freshDirectory();
    const gone = await startRegistry();
    await gone.stop();
    const followed = await probity('follow', gone.url, '--allow-private');
    expect([followed.code, followed.stderr]).toMatchObject([
      3,
      expect.stringContaining('goes on from there'),
    ]);
    expect((await probity('follow')).stderr).toContain('page 1: ');
  });

  it('is imported from a server.json, with the word of the operator', async () => {
    const probity = await freshDirectory();
    const folder = emptyFolder();
    const write = (name: string, content: unknown): string => {
      const file = path.join(folder, name);
      writeFileSync(file, JSON.stringify(content));
      return file;
    };
    const { server } = answerFor({ name: 'com.example/mine', more: PACKAGE });
    const imported = await probity('import', write('server.json', server));
    expect([imported.code, imported.stderr]).toMatchObject([
      0,
      expect.stringContaining('Imported 1 versions'),
    ]);
    const answer = {
      servers: ['b', 'c'].map((name) => answerFor({ name: `com.example/${name}`, more: PACKAGE })),
    };
    expect((await probity('import', write('answer.json', answer))).stderr).toContain('Imported 2 versions');
    const wrong = [server, { ...server, name: 'com.example/wrong', version: 'latest' }];
    const refused = await probity('import', write('list.json', wrong));
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/com\.example\/wrong: \/version/),
    ]);
    expect(refused.stderr).toContain('Nothing was imported');
  });

  it('is followed by a service, which serves its servers to others', async () => {
    const folder = await freshDataFolder();
    const service = startService({
      data: folder,
      databaseUrl: null,
      more: [
        ...['--follow', registry.url, '--follow-every', '1h', '--follow-max-servers', '1'],
        ...['--queues', 'follow', '--public-pages'],
      ],
    });
    const url = await service.url;
    const names = async (): Promise<readonly string[]> => {
      const page = (await (await fetch(`${url}/v0.1/servers`)).json()) as {
        servers: readonly { server: { name: string } }[];
      };
      return page.servers.map(({ server }) => server.name);
    };
    expect(await eventually(names, (found) => found.length > 0)).toEqual(['com.example/package']);
    const beside = await runCommand(['directory', 'follow', '--data', folder], { env: { DATABASE_URL: '' } });
    expect(beside.stdout).toContain(`${registry.url}  1 servers  every 1h`);
    expect(beside.stderr).toContain('1 refused in the last pass');
    expect(await service.stop()).toBeUndefined();
    expect(await service.ended).toBe(0);
  });
});
