import { rm } from 'node:fs/promises';
import type { FastifyServerOptions } from 'fastify';
import { type RunningDirectory, serveDirectory } from '../../src/directory/serve.ts';
import { DEFAULT_SETTINGS, type ServiceSettings } from '../../src/directory/service-settings.ts';
import { createKey } from '../../src/directory/store/keys.ts';
import { openStore, type Store } from '../../src/directory/store/open-store.ts';
import { SCOPES, type Scope } from '../../src/directory/store/scopes.ts';
import { freshDataFolder } from './stores.ts';

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
