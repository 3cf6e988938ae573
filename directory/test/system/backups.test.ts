import { execFile, execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { startReferenceServer } from 'probity';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder } from '../../../test/cli/run-command.ts';
import { postgresPrograms, whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { writeBackup } from '../../src/transfer/backup-file.ts';
import { fileLines } from '../../src/transfer/file-lines.ts';
import { importDirectory } from '../../src/transfer/import-directory.ts';
import { openEmbedded, startPostgres, type TestPostgres } from '../db/stores.ts';
import { startDirectory } from '../directory-under-test.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';
import { exported, fillDirectory } from '../transfer/filled-directory.ts';

const BACKUPS = 3;
const BATCH = 5;

describe('a backup of the embedded store', () => {
  it('is of one moment, while the service probes, tests and is written to', async () => {
    const reference = await startReferenceServer({ form: 'B' });
    onTestFinished(() => reference.close());
    const folder = emptyFolder();
    onTestFinished(() => rm(folder, { recursive: true }));
    const directory = await startDirectory({ queues: ['schedule', 'probe', 'test'], probeEveryMs: 200 });
    onTestFinished(() => directory.stop());
    const { db } = directory.store;
    for (const id of ['t-1', 't-2', 't-3']) await directory.list(id, reference.url);
    let isEnding = false;
    onTestFinished(() => {
      isEnding = true;
    });
    let version = 0;
    /** Each version is one transaction. */
    const writing = (async () => {
      for (; !isEnding; version += 1)
        await putEntries(
          db,
          Array.from({ length: BATCH }, (_, index) =>
            newEntry(listing(`w-${index}`, { name: `Version ${version}` })),
          ),
          new Date(),
        );
    })();
    const testing = (async () => {
      while (!isEnding) expect((await directory.test('t-1')).status).toBe(200);
    })();
    const restored: { readonly versions: readonly string[]; readonly atLeast: number }[] = [];
    for (let number = 0; number < BACKUPS; number += 1) {
      const file = path.join(folder, `${number}.gz`);
      const atLeast = version - 1;
      await writeBackup(db, file);
      const other = await openEmbedded();
      await importDirectory(other.store.db, fileLines(file));
      const { rows } = await sql<{ name: string }>`
        select distinct name from entry_details where entry_id like 'w-%'`.execute(other.store.db);
      restored.push({ versions: rows.map(({ name }) => name), atLeast });
      const { rows: results } = await sql<{ known: number; observed: number }>`
        select (select count(*) from results where entry_id = 't-1') as known,
          (select count(*) from observations join entries using (target_no)
            where id = 't-1' and source = 'test') as observed
      `.execute(other.store.db);
      // A result and its observations are one transaction.
      expect((results[0]?.known ?? 0) > 0).toBe((results[0]?.observed ?? 0) > 0);
      await other.close();
    }
    isEnding = true;
    await Promise.all([writing, testing]);
    for (const { versions, atLeast } of restored) {
      expect(versions).toHaveLength(atLeast < 0 ? versions.length : 1);
      expect(Number(versions[0]?.split(' ')[1] ?? -1)).toBeGreaterThanOrEqual(atLeast);
    }
  });
});

describe('a directory on PostgreSQL', unless(whyNoPostgres() ?? whyNoDump()), () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('is the same after pg_dump and pg_restore, as they are documented', async () => {
    const folder = emptyFolder();
    const [from, to] = [await postgres.database('dumped'), await postgres.database('restored')];
    const store = await openStore({ databaseUrl: from, dataFolder: '', share: false });
    await fillDirectory(store);
    const before = await exported(store);
    const file = path.join(folder, 'directory.dump');
    await run('pg_dump', '--format=custom', `--file=${file}`, from);
    await store.close();
    await run('pg_restore', '--no-owner', `--dbname=${to}`, file);
    const restored: Store = await openStore({ databaseUrl: to, dataFolder: '', share: false });
    expect(await exported(restored)).toBe(before);
    // The generated columns and the triggers work.
    await putEntries(restored.db, [newEntry(listing('new'))], new Date());
    const { rows } = await sql<{ decision: string }>`
      select decision from entries join entry_changes on entry_id = id where id = 'new'`.execute(restored.db);
    expect(rows).toEqual([{ decision: 'list' }]);
    await restored.close();
    await rm(folder, { recursive: true });
  });
});

function run(program: string, ...args: readonly string[]): Promise<unknown> {
  return promisify(execFile)(programFile(program) ?? program, args);
}

/** Beside the server, or in the PATH. */
function programFile(name: string): string | null {
  const candidates = [path.join(postgresPrograms(emptyFolder()), name), name];
  return candidates.find(answers) ?? null;
}

function whyNoDump(): string | null {
  return programFile('pg_dump') === null || programFile('pg_restore') === null
    ? 'no pg_dump and pg_restore: install the client programs of PostgreSQL'
    : null;
}

function answers(program: string): boolean {
  try {
    execFileSync(program, ['--version']);
    return true;
  } catch {
    return false;
  }
}
