import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { serveDirectory } from '../../src/directory/serve.ts';
import {
  DEFAULT_LIMITS,
  DEFAULT_SETTINGS,
  type ServiceLimits,
  type ServiceSettings,
} from '../../src/directory/service-settings.ts';
import { putEntries } from '../../src/directory/store/entries.ts';
import { createKey } from '../../src/directory/store/keys.ts';
import { openStore, type Store } from '../../src/directory/store/open-store.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what a test finds out
  readonly body: any;
}

/** A directory with an open store, whose gateway a test calls. */
export interface GatewayService {
  readonly store: Store;
  readonly url: string;
  readonly key: string;
  /** Lists a server, or gives it another endpoint. */
  list(id: string, endpoint: string, more?: { readonly bearerEnv?: string }): Promise<void>;
  execute(id: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** A second instance on the same store. */
  another(settings?: SettingsParts): Promise<GatewayService>;
  stop(): Promise<void>;
}

export type SettingsParts = Partial<Omit<ServiceSettings, 'limits'>> & {
  readonly limits?: Partial<ServiceLimits>;
  /** Told every line of the log, of whatever level. */
  readonly onLog?: (line: string) => void;
};

export async function startGateway(
  databaseUrl: string | null,
  settings: SettingsParts = {},
): Promise<GatewayService> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-gateway-'));
  const store = await openStore({ databaseUrl, dataFolder: folder, share: false });
  const service = await onStore(store, settings);
  return {
    ...service,
    stop: async () => {
      await service.stop();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function onStore(store: Store, { limits, onLog, ...settings }: SettingsParts): Promise<GatewayService> {
  const full = {
    ...DEFAULT_SETTINGS,
    port: 0,
    publicOnly: false,
    background: false,
    ...settings,
    limits: { ...DEFAULT_LIMITS, ...limits },
  };
  const logger = onLog === undefined ? false : { level: 'trace', stream: { write: onLog } };
  const running = await serveDirectory(store, full, logger);
  const { key } = await createKey(store.db, { name: 'test', scopes: ['execute'], expiresAt: null });
  return {
    store,
    url: running.url,
    key,
    list: (id, endpoint, more = {}) => listServer(store, id, endpoint, more),
    execute: async (id, body, headers = {}) => {
      const response = await fetch(`${running.url}/v1/servers/${id}/execute`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    },
    another: (others = {}) => onStore(store, others),
    stop: () => running.stop(),
  };
}

async function listServer(store: Store, id: string, endpoint: string, more: object): Promise<void> {
  const listing = {
    id,
    name: id,
    description: 'A server of a test',
    category: 'test',
    tags: [],
    transport: ['http' as const],
    audited: false,
    openSource: true,
    endpoint,
    uptime: 100,
    responseTime: 1,
    ...more,
  };
  await putEntries(
    store.db,
    [{ listing, first: { decision: 'list', decidedBy: 'operator', rows: [] } }],
    new Date(),
  );
}
