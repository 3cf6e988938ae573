import { rm } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { freePort } from '../../../test/free-port.ts';
import { createKey } from '../../src/accounts/keys.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { SILENT, startJobs } from '../../src/jobs/start-jobs.ts';
import { freshDataFolder, startPostgres, type TestPostgres } from '../db/stores.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';
import { answer, startTarget } from '../target.ts';

let postgres: TestPostgres;
let databaseUrl: string;
let store: Store;
beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = await postgres.database('doctor');
  store = await openStore({ databaseUrl, dataFolder: '', share: false });
});
afterAll(async () => {
  await store?.close();
  await postgres?.stop();
});

interface Found {
  readonly check: string;
  readonly state: string;
  readonly text: string;
  readonly remedy: string | null;
}

async function examine(env: Record<string, string>, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(['directory', 'doctor', '--json', ...args], { env });
  const findings = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Found);
  const of = (check: string) => findings.find((one) => one.check === check);
  return { code, stderr, findings, of };
}

describe('the doctor', () => {
  it('finds nothing wrong with a directory that works', async () => {
    const target = await startTarget({ execute: (_call, response) => answer(response, 200, {}) });
    await putEntries(store.db, [newEntry(listing('well', { endpoint: target.url }))], new Date());
    await createKey(store.db, { name: 'k', scopes: ['read'], expiresAt: null });
    // Nobody works on it, because no command for packages is allowed.
    const jobs = await startJobs(store, SILENT, { works: false });
    await jobs.send('package-check', { key: 'package-check', data: {} });
    // Another process is checking one of the packages that wait.
    for (const name of ['checked', 'next']) await jobs.send('package-check', { key: name, data: { name } });
    await jobs.stop();
    await sql`update pgboss.job set start_after = now() - interval '1 hour'`.execute(store.db);
    await sql`
      update pgboss.job set state = 'active', started_on = now() - interval '20 minutes', expire_in = interval '1 hour'
      where data ->> 'name' = 'checked'`.execute(store.db);
    const { code, findings, of } = await examine({ DATABASE_URL: databaseUrl }, '--allow-private');
    await target.close();
    expect(findings.filter(({ state }) => state === 'problem')).toEqual([]);
    expect(code).toBe(0);
    expect(of('outbound')).toMatchObject({ state: 'ok', text: '1 of 1 servers answered' });
    expect(of('store')?.text).toMatch(/a PostgreSQL server, version \d+.*with 1 entries/);
  });

  it('says what is wrong, with a remedy, and ends with 1', async () => {
    const port = await freePort();
    const url = await postgres.database('ill');
    const ill = await openStore({ databaseUrl: url, dataFolder: '', share: false });
    const entries = ['late', 'ahead', 'gated'].map((id) =>
      newEntry(listing(id, { endpoint: `http://127.0.0.1:${port}/${id}` })),
    );
    await putEntries(ill.db, entries, new Date());
    await createKey(ill.db, { name: 'k', scopes: ['read'], expiresAt: new Date(Date.now() + 86_400_000) });
    const gate = JSON.stringify({ remedy: 'Give it the key PROBITY_TARGET_GATED.' });
    await sql`update entry_details set next_probe_at = now() - interval '1 hour' where entry_id = 'late'`.execute(
      ill.db,
    );
    await sql`update entry_details set next_probe_at = now() + interval '40 days' where entry_id = 'ahead'`.execute(
      ill.db,
    );
    await sql`update entries set observed = 'gated' where id = 'gated'`.execute(ill.db);
    await sql`update entry_details set gate = ${gate} where entry_id = 'gated'`.execute(ill.db);
    const jobs = await startJobs(ill, SILENT, { works: false });
    await jobs.send('package-check', { key: 'stuck', data: { name: 'stuck' } });
    await jobs.stop();
    await sql`update pgboss.job set start_after = now() - interval '1 hour'`.execute(ill.db);
    await ill.close();
    const { code, of } = await examine({ DATABASE_URL: url }, '--allow-private');
    expect(code).toBe(1);
    expect(of('work')).toMatchObject({
      state: 'problem',
      text: expect.stringContaining('1 of 3 entries'),
      remedy: expect.stringContaining('probity directory serve'),
    });
    expect(of('packages')).toMatchObject({
      state: 'problem',
      text: expect.stringContaining('1 checks of packages wait'),
      remedy: expect.stringContaining('--package-command'),
    });
    expect(of('due times')).toMatchObject({ state: 'warning', text: expect.stringContaining('ahead') });
    expect(of('keys')?.text).toMatch(/expires in 14 days/);
    expect(of('keys of servers')?.remedy).toBe('gated: Give it the key PROBITY_TARGET_GATED.');
    expect(of('outbound')).toMatchObject({ state: 'problem', text: expect.stringContaining('0 of 1') });
    // Where operators look first says the same.
    for (const args of [
      ['list', '--status', 'gated'],
      ['show', 'gated'],
    ]) {
      const { stdout } = await runCommand(['directory', ...args], { env: { DATABASE_URL: url } });
      expect(stdout).toContain('Give it the key PROBITY_TARGET_GATED.');
    }
    const offline = await examine({ DATABASE_URL: url }, '--no-network');
    expect(offline.of('outbound')).toBeUndefined();
    const text = await runCommand(['directory', 'doctor', '--no-network'], { env: { DATABASE_URL: url } });
    expect(text.stdout).toMatch(/^problem {2}work .*\n {26}Run a service/m);
  });

  it('examines an embedded store and its disk, and says who uses it', async () => {
    const data = await freshDataFolder();
    const idle = await examine({ DATABASE_URL: '' }, '--data', data);
    expect(idle.code).toBe(0);
    expect(idle.of('lock')).toMatchObject({
      state: 'warning',
      remedy: `Serve it with: probity directory serve --data ${data}`,
    });
    for (const check of ['disk', 'inodes']) expect(idle.of(check)?.text).toMatch(/free|created/);
    const serving = await openStore({ databaseUrl: null, dataFolder: data, share: false });
    const used = await examine({ DATABASE_URL: '' }, '--data', data);
    await serving.close();
    expect(used.of('lock')).toMatchObject({
      state: 'ok',
      text: `process ${process.pid} uses the data folder`,
    });
    await rm(data, { recursive: true });
  });

  it('does not create what it examines', async () => {
    const nowhere = path.join(emptyFolder(), 'none');
    const { code, findings } = await examine({ DATABASE_URL: '' }, '--data', nowhere);
    expect([code, findings[0]]).toMatchObject([1, { check: 'store', state: 'problem' }]);
    const unreachable = await examine({ DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/x' });
    expect([unreachable.code, unreachable.of('store')?.remedy]).toMatchObject([
      1,
      expect.not.stringContaining('secret'),
    ]);
  });
});
