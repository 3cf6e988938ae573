import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ServerDetails } from '../../src/directory/details.ts';
import { type RunningDirectory, serveDirectory } from '../../src/directory/serve.ts';
import { DEFAULT_SETTINGS, type ServiceSettings } from '../../src/directory/service-settings.ts';
import { type FirstDecision, putEntries } from '../../src/directory/store/entries.ts';
import { createKey } from '../../src/directory/store/keys.ts';
import { openStore, type Store } from '../../src/directory/store/open-store.ts';
import type { Listing } from '../../src/model/listing.ts';
import { freshDataFolder } from './stores.ts';

/** A directory of a test's own, that may ask this machine, with a key that allows everything. */
export interface DirectoryUnderTest {
  readonly store: Store;
  readonly running: RunningDirectory;
  add(listing: Listing, decidedBy?: FirstDecision['decidedBy']): Promise<void>;
  test(id: string, body?: unknown): Promise<Response>;
  details(id: string): Promise<ServerDetails>;
  stop(): Promise<void>;
}

export async function startDirectory(
  settings: Partial<ServiceSettings> = {},
  databaseUrl: string | null = null,
): Promise<DirectoryUnderTest> {
  const folder =
    databaseUrl === null ? await freshDataFolder() : mkdtempSync(path.join(os.tmpdir(), 'probity-'));
  const store = await openStore({ databaseUrl, dataFolder: folder, share: false });
  const running = await serveDirectory(
    store,
    {
      ...DEFAULT_SETTINGS,
      port: 0,
      publicOnly: false,
      background: false,
      timedCalls: 0,
      ...settings,
    },
    { level: 'error' },
  );
  const { key } = await createKey(store.db, {
    name: 'test',
    scopes: ['read', 'test', 'execute'],
    expiresAt: null,
  });
  const headers = { authorization: `Bearer ${key}` };
  return {
    store,
    running,
    add: (listing, decidedBy = 'checks') =>
      putEntries(
        store.db,
        [{ listing, first: { decision: decidedBy === 'operator' ? 'list' : 'hold', decidedBy, rows: [] } }],
        new Date(),
      ),
    test: (id, body) =>
      fetch(`${running.url}/v1/servers/${id}/test`, {
        method: 'POST',
        ...(body === undefined
          ? { headers }
          : {
              headers: { ...headers, 'content-type': 'application/json' },
              body: typeof body === 'string' ? body : JSON.stringify(body),
            }),
      }),
    details: async (id) => {
      const answer = await fetch(`${running.url}/v1/servers/${id}`, { headers });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as ServerDetails;
    },
    stop: async () => {
      await running.stop();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a condition holds, however long the machine takes. */
export async function eventually<Value>(
  look: () => Promise<Value>,
  holds: (value: Value) => boolean,
  withinMs = 45_000,
): Promise<Value> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > endMs) throw new Error(`it did not come about: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
