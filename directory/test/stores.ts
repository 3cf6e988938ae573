import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, inject } from 'vitest';
import { whyNoPostgres } from '../../test/set-up/postgres-programs.ts';
import { unless } from '../../test/set-up/skips.ts';
import { openStore, type Store } from '../src/store/open-store.ts';
import { askServer } from './cluster.ts';
import { askShared } from './shared-stores.ts';

/** The PostgreSQL server of the run, with a database for each test. */
export interface TestPostgres {
  /** Address of an empty database that is created for whoever asks; its name begins with this one. */
  database(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  const url = await askShared(inject('clusterPort'));
  const made: string[] = [];
  return {
    database: async (name) => {
      const own = `${name}_${randomBytes(4).toString('hex')}`;
      await askServer(url, `create database "${own}"`);
      made.push(own);
      return `${url}/${own}`;
    },
    stop: async () => {
      for (const name of made.splice(0)) await askServer(url, `drop database "${name}" with (force)`);
    },
  };
}

/** A data folder of a test's own, with an empty database. */
export async function freshDataFolder(): Promise<string> {
  const template = await askShared(inject('templatePort'));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-directory-'));
  await cp(template, folder, { recursive: true });
  return folder;
}

/** An embedded store of a test's own. */
export interface EmbeddedStore {
  readonly store: Store;
  readonly folder: string;
  /** Removes its folder too. */
  close(): Promise<void>;
}

export async function openEmbedded(): Promise<EmbeddedStore> {
  const folder = await freshDataFolder();
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

/** Stores of their own for the tests of one file or group. */
export interface TestStores {
  readonly kind: StoreKind;
  /** An empty one. */
  open(): Promise<Store>;
  /** Closes and removes all that were opened; for `afterAll`. */
  close(): Promise<void>;
}

/** The same tests on both kinds of store. */
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
