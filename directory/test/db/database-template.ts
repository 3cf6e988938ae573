import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { appendFile, readdir, readFile, rename, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../src/db/open-store.ts';
import { startJobs } from '../../src/jobs/start-jobs.ts';

/** A data folder with an empty database with its tables. It is kept between runs, because creating one takes seconds. */
export async function makeTemplate(): Promise<string> {
  const caches = path.resolve('node_modules/.cache/probity');
  const template = path.join(caches, `database-${templateDigest()}`);
  if (existsSync(template)) return template;
  mkdirSync(caches, { recursive: true });
  const draft = mkdtempSync(`${template}-`);
  const store = await openStore({ databaseUrl: null, dataFolder: draft, share: false });
  const jobs = await startJobs(store, console, { works: false });
  await jobs.stop();
  await store.close();
  await slim(path.join(draft, 'database'));
  // Another run may have created the template meanwhile.
  await rename(draft, template).catch(() => rm(draft, { recursive: true, force: true }));
  return template;
}

/** PostgreSQL copies these two when it creates a database, which an embedded store never does. */
const SOURCES_OF_DATABASES = ['1', '4'];

/** Preparing the usual 128 MB takes nearly half of the time in which a store opens. */
const SHARED_BUFFERS = '16MB';

/**
 * Every store of a test copies the template and opens it, so half of its files and the empty end of its log are left
 * out, and its memory is small.
 */
async function slim(database: string): Promise<void> {
  for (const name of SOURCES_OF_DATABASES) await rm(path.join(database, 'base', name), { recursive: true });
  await appendFile(path.join(database, 'postgresql.conf'), `\nshared_buffers = ${SHARED_BUFFERS}\n`);
  const log = path.join(database, 'pg_wal');
  for (const entry of await readdir(log, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const segment = path.join(log, entry.name);
    const bytes = await readFile(segment);
    // The file keeps its length; its end becomes a hole, which `cp` does not copy.
    await truncate(segment, bytes.findLastIndex((byte) => byte !== 0) + 1);
    await truncate(segment, bytes.length);
  }
}

function templateDigest(): string {
  const digest = createHash('sha256');
  for (const file of [
    'directory/test/db/database-template.ts',
    'directory/src/db/schema.ts',
    'directory/src/db/create-tables.ts',
    'directory/src/db/functions.ts',
    'directory/src/db/registry-tables.ts',
    'directory/src/jobs/start-jobs.ts',
    'directory/src/jobs/queues.ts',
    'package-lock.json',
  ])
    digest.update(readFileSync(file));
  return digest.digest('hex').slice(0, 16);
}
