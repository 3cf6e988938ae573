import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, inject } from 'vitest';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { databasesFolder } from '../../../test/set-up/temporary-folder.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { runStatement } from './cluster.ts';
import { askShared } from './shared-stores.ts';

/** The PostgreSQL server of the run, with a database for each test. */
export interface TestPostgres {
  /** Creates an empty database whose name begins with `name`, and returns its address. */
  database(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  const url = await askShared(inject('clusterPort'));
  const made: string[] = [];
  return {
    database: async (name) => {
      const own = `${name}_${randomBytes(4).toString('hex')}`;
      await runStatement(url, `create database "${own}"`);
      made.push(own);
      return `${url}/${own}`;
    },
    stop: async () => {
      for (const name of made.splice(0)) await runStatement(url, `drop database "${name}" with (force)`);
    },
  };
}

const run = promisify(execFile);

/** A new data folder with an empty database. */
export async function freshDataFolder(): Promise<string> {
  const template = await askShared(inject('templatePort'));
  const folder = mkdtempSync(path.join(databasesFolder(), 'probity-directory-'));
  // `cp` of Node.js takes eight times the CPU for these thousand files.
  await run('cp', ['-R', `${template}/.`, folder]);
  return folder;
}

let compiled: Promise<WebAssembly.Module> | null = null;

/** V8 shares the machine code of a module that is still referenced; without it, each store compiles PGlite anew. */
function keepCompiled(): Promise<WebAssembly.Module> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  compiled ??= readFile(path.join(path.dirname(entry), 'pglite.wasm')).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  return compiled;
}

/** A new embedded store. */
export interface EmbeddedStore {
  readonly store: Store;
  readonly folder: string;
  /** Also removes its folder. */
  close(): Promise<void>;
}

export async function openEmbedded(): Promise<EmbeddedStore> {
  const [folder] = await Promise.all([freshDataFolder(), keepCompiled()]);
  const store = await openStore({ databaseUrl: null, dataFolder: folder, share: false });
  return {
    store,
    folder,
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type StoreKind = Store['kind'];

/** Separate stores for the tests of one file or group. */
export interface TestStores {
  readonly kind: StoreKind;
  /** Opens an empty store. */
  open(): Promise<Store>;
  /** Closes and removes all opened stores; for `afterAll`. */
  close(): Promise<void>;
}

/** Runs the same tests on both kinds of store. */
export function describeStores(title: string, tests: (stores: TestStores) => void): void {
  describe(`${title}, on the embedded store`, () => tests(embeddedStores()));
  describe(`${title}, on PostgreSQL`, unless(whyNoPostgres()), () => tests(postgresStores()));
}

function embeddedStores(): TestStores {
  const opened: EmbeddedStore[] = [];
  return {
    kind: 'embedded',
    open: async () => {
      const embedded = await openEmbedded();
      opened.push(embedded);
      return embedded.store;
    },
    close: async () => {
      for (const embedded of opened.splice(0)) await embedded.close();
    },
  };
}

function postgresStores(): TestStores {
  let postgres: TestPostgres | null = null;
  const opened: Store[] = [];
  return {
    kind: 'postgres',
    open: async () => {
      postgres ??= await startPostgres();
      const store = await openStore({
        databaseUrl: await postgres.database('test'),
        dataFolder: '',
        share: false,
      });
      opened.push(store);
      return store;
    },
    close: async () => {
      for (const store of opened.splice(0)) await store.close();
      await postgres?.stop();
      postgres = null;
    },
  };
}
