import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { startJobs } from '../src/jobs/start-jobs.ts';
import { openStore } from '../src/store/open-store.ts';

/** A data folder with an empty, migrated database. It is kept between runs, because creating one takes seconds. */
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
  // Another run may have created the template meanwhile.
  await rename(draft, template).catch(() => rm(draft, { recursive: true, force: true }));
  return template;
}

function templateDigest(): string {
  const digest = createHash('sha256');
  for (const file of [
    'directory/src/store/migrations.ts',
    'directory/src/store/note-changes.ts',
    'directory/src/store/index-words.ts',
    'directory/src/store/observation-tables.ts',
    'directory/src/store/audit-tables.ts',
    'directory/src/store/turns.ts',
    'directory/src/jobs/create-queues.ts',
    'directory/src/jobs/queues.ts',
    'package-lock.json',
  ])
    digest.update(readFileSync(file));
  return digest.digest('hex').slice(0, 16);
}
