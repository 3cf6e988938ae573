import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, inject } from 'vitest';
import { openStore, type Store } from '../../src/directory/store/open-store.ts';
import { askServer, whyNoPostgres } from './cluster.ts';
import './shared-cluster.ts';

/** The PostgreSQL server of the run, with a database for each test. */
export interface TestPostgres {
  /** Address of an empty database that is created for whoever asks; its name begins with this one. */
  database(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  const answer = await text(connect(inject('clusterPort'), '127.0.0.1'));
  const { url, problem } = JSON.parse(answer) as { readonly url?: string; readonly problem?: string };
  if (url === undefined) throw new Error(problem);
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

type StoreKind = Store['kind'];

/** Stores of their own for the tests of one file or group. */
export interface TestStores {
  readonly kind: StoreKind;
  /** An empty one. */
  open(): Promise<Store>;
  /** Closes and removes all that were opened; for `afterAll`. */
  close(): Promise<void>;
}

/**
 * The same tests on both kinds of store. Where PostgreSQL is not installed, its half is skipped and says so; with CI
 * set it fails.
 */
export function describeStores(title: string, tests: (stores: TestStores) => void): void {
  describe(`${title}, on the embedded store`, () => tests(embeddedStores()));
  const missing = process.env.CI ? null : whyNoPostgres();
  describe.skipIf(missing !== null)(
    `${title}, on ${missing === null ? 'PostgreSQL' : `no PostgreSQL: ${missing}`}`,
    () => tests(postgresStores()),
  );
}

function embeddedStores(): TestStores {
  const opened: { readonly store: Store; readonly folder: string }[] = [];
  return {
    kind: 'embedded',
    open: async () => {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-directory-'));
      const store = await openStore({ databaseUrl: null, dataFolder: folder, share: false });
      opened.push({ store, folder });
      return store;
    },
    close: async () => {
      for (const { store, folder } of opened.splice(0)) {
        await store.close();
        await rm(folder, { recursive: true, force: true });
      }
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
