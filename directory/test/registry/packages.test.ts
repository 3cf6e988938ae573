import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isRunning } from '../../../test/cli/started.ts';
import { eventually, until } from '../../../test/eventually.ts';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { allRows, oneRow, run } from '../../src/db/rows.ts';
import { SILENT, startJobs } from '../../src/jobs/start-jobs.ts';
import { readPackageCheck } from '../../src/registry/package-checks.ts';
import { readServerJson } from '../../src/registry/server-json.ts';
import { storeServers } from '../../src/registry/store-servers.ts';
import type { PackageCommand } from '../../src/settings/settings.ts';
import { startPostgres } from '../db/stores.ts';
import { type DirectoryUnderTest, type InstanceSettings, startDirectory } from '../directory-under-test.ts';

const OWN = 'io.github.probity-mcp/directory';
const PROGRAM = path.join(import.meta.dirname, 'package-server.mjs');
const HOUR_MS = 3_600_000;

for (const kind of ['the embedded store', 'PostgreSQL'] as const)
  describe(`packages, on ${kind}`, unless(kind === 'PostgreSQL' ? whyNoPostgres() : null), () => {
    let folder: string;
    let directory: DirectoryUnderTest | null = null;
    let postgres: Awaited<ReturnType<typeof startPostgres>> | null = null;

    beforeAll(async () => {
      postgres = kind === 'PostgreSQL' ? await startPostgres() : null;
    });
    beforeEach(() => {
      folder = mkdtempSync(path.join(os.tmpdir(), 'probity-packages-'));
    });
    afterEach(async () => {
      await directory?.stop();
      directory = null;
      await rm(folder, { recursive: true, force: true });
    });
    afterAll(() => postgres?.stop());

    const command = (): PackageCommand => [process.execPath, PROGRAM, folder, '{identifier}', '{version}'];
    const start = async (settings: InstanceSettings = {}): Promise<DirectoryUnderTest> => {
      directory = await startDirectory({
        databaseUrl: (await postgres?.database('packages')) ?? null,
        publicPages: true,
        queues: ['package-check'],
        packageCommands: { npm: command() },
        testEveryMs: HOUR_MS,
        ...settings,
      });
      return directory;
    };
    /** The versions of all starts. */
    const started = async (): Promise<readonly string[]> =>
      (await readFile(path.join(folder, 'started'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
    const put = async (
      { store: { db } }: DirectoryUnderTest,
      identifiers: readonly string[],
      version = '1.0.0',
      more: object = {},
    ): Promise<void> => {
      const servers = identifiers.map((identifier, number) => {
        const read = readServerJson({
          name: `com.example/${/^[a-z]+$/.test(identifier) ? identifier : `hostile-${number}`}`,
          description: 'A package',
          version,
          packages: [{ registryType: 'npm', identifier, version, transport: { type: 'stdio' }, ...more }],
        });
        if ('problem' in read) throw new Error(read.problem);
        const rest = { status: 'active', statusMessage: null, isLatest: true } as const;
        return { ...read, ...rest, publishedAt: new Date(), updatedAt: null };
      });
      await db
        .transaction()
        .execute((transaction) =>
          storeServers(transaction, servers, null, { publicOnly: false, now: new Date(), maxServers: null }),
        );
    };
    /** As the clock does it each minute; resolves when nothing waits or runs any more. */
    const checkDue = async ({ store }: DirectoryUnderTest): Promise<void> => {
      const idle = () =>
        eventually(
          () =>
            oneRow<{ count: number }>(store.db)`
              select count(*)::integer as count from pgboss.job where name = 'package-check' and state < 'completed'`,
          ({ count }) => count === 0,
        );
      const jobs = await startJobs(store, SILENT, { works: false });
      // One that was sent before, such as at the start of the service, may have looked already.
      do await idle();
      while ((await jobs.send('package-check', { key: 'package-check', data: {} })) === null);
      await jobs.stop();
      await idle();
    };
    const known = async ({ url }: DirectoryUnderTest, name: string) => {
      const answer = await fetch(`${url}/v0.1/servers/com.example%2F${name}/versions/latest`);
      const { report, ...said } =
        ((await answer.json()) as { _meta: Record<string, { readonly report?: string }> })._meta[OWN] ?? {};
      expect(report).toBe(`${url}/registry/com.example%2F${name}`);
      return said;
    };

    it('are checked with the command of the operator, once for each version and interval', async () => {
      const here = await start();
      await put(here, ['good', 'broken', 'changing']);
      expect(await known(here, 'good')).toEqual({ verdict: 'unchecked' });
      await checkDue(here);
      expect(await known(here, 'good')).toMatchObject({ verdict: 'pass', coverage: 100 });
      expect(await known(here, 'broken')).toMatchObject({ verdict: 'fail', summary: { failed: 2 } });
      expect(await known(here, 'changing')).toMatchObject({ verdict: 'fail' });
      const check = await readPackageCheck(here.store.db, 'com.example/broken');
      expect(check?.findings[0]).toMatchObject({ outcome: 'failed', subject: 'add' });
      const { body } = await oneRow<{ body: Buffer }>(here.store.db)`
        select body from package_checks where name = 'com.example/broken'`;
      expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ verdict: 'fail' });
      expect(new Set(await started())).toEqual(new Set(['good 1.0.0', 'broken 1.0.0', 'changing 1.0.0']));
      // Nothing is decided, and no entry is made.
      expect(await allRows(here.store.db)`select id from entries`).toEqual([]);

      const before = (await started()).length;
      await checkDue(here);
      expect(await started()).toHaveLength(before);
      await put(here, ['changing'], '2.0.0');
      // The old verdict does not hold for the new version.
      expect(await known(here, 'changing')).toEqual({ verdict: 'unchecked' });
      await checkDue(here);
      expect(await known(here, 'changing')).toMatchObject({ verdict: 'pass' });
      const later = await started();
      expect(new Set(later.slice(before))).toEqual(new Set(['changing 2.0.0']));
      await run(here.store.db)`
        update package_checks set queued_at = now() - interval '2 hours' where name = 'com.example/good'`;
      await checkDue(here);
      expect(new Set((await started()).slice(later.length))).toEqual(new Set(['good 1.0.0']));
    });

    it('are never run without a command of the operator for their type', async () => {
      for (const packageCommands of [{}, { pypi: command() }]) {
        const here = await start({ packageCommands });
        await put(here, ['good']);
        await checkDue(here);
        expect(await known(here, 'good')).toEqual({ verdict: 'unchecked' });
        expect(await started()).toEqual([]);
        await here.stop();
        directory = null;
      }
    });

    it('are not run with a hostile name or version, and the reason is said', async () => {
      const here = await start();
      const names = ['--eval', '-x', '$(x)', 'a b', '../..', '@a/../b', 'a;b', 'a\nb', 'a`b`', 'a\0b', ''];
      await put(here, names);
      await put(here, ['good'], '1.0.0 --privileged'.replace(' ', '-'), { version: '1.0.0 --privileged' });
      await checkDue(here);
      for (const number of names.keys())
        expect(await known(here, `hostile-${number}`), names[number]).toEqual({
          verdict: 'undecided',
          reason: 'its identifier is not the name of a package of the type npm',
          coverage: null,
          checkedAt: expect.any(String),
        });
      expect(await known(here, 'good')).toMatchObject({
        verdict: 'undecided',
        reason: 'its version is not one of a package of the type npm',
      });
      expect(await started()).toEqual([]);
    });

    it('are undecided when they require what a check does not give', async () => {
      const here = await start();
      await put(here, ['good'], '1.0.0', { environmentVariables: [{ name: 'A_KEY', isRequired: true }] });
      await put(here, ['broken'], '1.0.0', { packageArguments: [{ type: 'positional', value: '--eval=1' }] });
      await checkDue(here);
      expect(await known(here, 'good')).toMatchObject({
        verdict: 'undecided',
        reason: 'it requires the environment variable A_KEY, which a check does not give it',
      });
      expect(await known(here, 'broken')).toMatchObject({
        verdict: 'undecided',
        reason: 'it requires arguments, which a check does not give it',
      });
      expect(await started()).toEqual([]);
    });

    it('are ended with all of their processes, whatever they do', async () => {
      const here = await start({ testDeadlineMs: 8000 });
      await put(here, ['silent', 'stubborn', 'ending']);
      await checkDue(here);
      expect(await known(here, 'silent')).toMatchObject({ verdict: 'undecided' });
      expect(await known(here, 'ending')).toMatchObject({
        verdict: 'undecided',
        reason: expect.stringContaining('exit code 3'),
      });
      expect(await known(here, 'stubborn')).toHaveProperty('checkedAt');
      const ids = (
        await Promise.all(['silent', 'stubborn'].map((file) => readFile(path.join(folder, file), 'utf8')))
      ).flatMap((text) => text.trim().split(/\s/).map(Number));
      expect(ids.length).toBeGreaterThanOrEqual(3);
      // The result of one that was stopped at its deadline may come before the end of its processes.
      for (const id of ids) await until(() => !isRunning(id));
    });

    it('see nothing of the environment of the directory', async () => {
      process.env.PROBITY_TARGET_SECRET = 'key';
      try {
        const here = await start();
        await put(here, ['good']);
        await checkDue(here);
        expect(await readFile(path.join(folder, 'environment'), 'utf8')).not.toMatch(
          /PROBITY_TARGET_|DATABASE_URL/,
        );
      } finally {
        delete process.env.PROBITY_TARGET_SECRET;
      }
    });
  });
