import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { FastifyServerOptions } from 'fastify';
import { type RunningDirectory, serveDirectory } from '../../src/directory/serve.ts';
import { DEFAULT_SETTINGS, type ServiceSettings } from '../../src/directory/service-settings.ts';
import { createKey } from '../../src/directory/store/keys.ts';
import { openStore, type Store } from '../../src/directory/store/open-store.ts';
import { SCOPES, type Scope } from '../../src/directory/store/scopes.ts';

/** A directory of a test's own, with a key that allows everything. */
export interface TestDirectory {
  readonly url: string;
  readonly store: Store;
  readonly key: string;
  /** Sends a request with the key. */
  ask(route: string, init?: RequestInit): Promise<Response>;
  newKey(...scopes: readonly Scope[]): Promise<string>;
  stop(): Promise<void>;
}

export interface TestDirectoryOptions extends Partial<ServiceSettings> {
  /** The embedded store when left out. */
  readonly databaseUrl?: string;
  readonly logger?: FastifyServerOptions['logger'];
}

/** Starts the service on a free port; targets on this machine are allowed, and nothing runs in the background unasked. */
export async function startDirectory({
  databaseUrl,
  logger,
  ...settings
}: TestDirectoryOptions = {}): Promise<TestDirectory> {
  const folder = databaseUrl === undefined ? await freshDataFolder() : null;
  const store = await openStore({
    databaseUrl: databaseUrl ?? null,
    dataFolder: folder ?? '',
    share: false,
  });
  let running: RunningDirectory;
  try {
    running = await serveDirectory(
      store,
      { ...DEFAULT_SETTINGS, port: 0, publicOnly: false, background: false, timedCalls: 0, ...settings },
      logger,
    );
  } catch (error) {
    await store.close();
    throw error;
  }
  const newKey = async (...scopes: readonly Scope[]): Promise<string> =>
    (await createKey(store.db, { name: 'test', scopes, expiresAt: null })).key;
  const key = await newKey(...SCOPES);
  return {
    url: running.url,
    store,
    key,
    newKey,
    ask: (route, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
      return fetch(`${running.url}${route}`, { ...init, headers });
    },
    stop: async () => {
      await running.stop();
      await store.close();
      if (folder !== null) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A data folder with an empty, migrated database: copied, because to make one takes seconds. */
export async function freshDataFolder(): Promise<string> {
  const template = await templateFolder();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-directory-'));
  await cp(template, folder, { recursive: true });
  return folder;
}

async function templateFolder(): Promise<string> {
  const template = path.join(os.tmpdir(), `probity-test-database-${templateDigest()}`);
  if (existsSync(template)) return template;
  const draft = mkdtempSync(path.join(os.tmpdir(), 'probity-test-database-draft-'));
  const store = await openStore({ databaseUrl: null, dataFolder: draft, share: false });
  await store.close();
  // Another worker may have been first.
  await rename(draft, template).catch(() => rm(draft, { recursive: true, force: true }));
  return template;
}

function templateDigest(): string {
  const digest = createHash('sha256');
  for (const file of ['src/directory/store/migrations.ts', 'package-lock.json'])
    digest.update(readFileSync(file));
  return digest.digest('hex').slice(0, 16);
}
