import type { FastifyServerOptions } from 'fastify';
import type { Listing, ServerDetails } from 'probity/model';
import { eventually } from '../../test/eventually.ts';
import { createKey } from '../src/accounts/keys.ts';
import { openStore, type Store } from '../src/db/open-store.ts';
import { readEntry } from '../src/entries/entries.ts';
import { putEntries } from '../src/entries/put-entries.ts';
import type { FirstDecision } from '../src/entries/put-row.ts';
import { CALLER_PRIORITY } from '../src/jobs/queues.ts';
import { SILENT, startJobs } from '../src/jobs/start-jobs.ts';
import { joinTest, plannedKey, testState } from '../src/jobs/tests.ts';
import { serveDirectory } from '../src/service/serve.ts';
import {
  DEFAULT_LIMITS,
  DEFAULT_SETTINGS,
  SCOPES,
  type Scope,
  type ServiceLimits,
  type ServiceSettings,
} from '../src/settings/settings.ts';
import { openEmbedded } from './db/stores.ts';
import { listingOf } from './entries/listings.ts';

/** A directory for one test file. */
export interface DirectoryUnderTest {
  readonly url: string;
  readonly store: Store;
  /** Has all scopes. */
  readonly key: string;
  newKey(...scopes: readonly Scope[]): Promise<string>;
  /** Sends a request, with `key` unless `init` sets another. */
  ask(route: string, init?: RequestInit): Promise<Response>;
  add(listing: Listing, decidedBy?: FirstDecision['decidedBy']): Promise<void>;
  /** Adds a server that is listed immediately, or changes its endpoint. */
  list(id: string, endpoint: string, more?: Partial<Listing>): Promise<void>;
  test(id: string, body?: unknown): Promise<Response>;
  /** Tests a server as the schedule does. */
  plannedTest(id: string): Promise<void>;
  /** Tests a server as often as its decision needs. */
  decide(id: string): Promise<ServerDetails>;
  details(id: string): Promise<ServerDetails>;
  execute(id: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** What Prometheus reads. */
  metrics(): Promise<string>;
  /** Starts a second instance on the same store, with a separate key. */
  another(settings?: InstanceSettings): Promise<DirectoryUnderTest>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the content of answers
  readonly body: any;
}

export interface InstanceSettings extends Partial<Omit<ServiceSettings, 'limits'>> {
  readonly limits?: Partial<ServiceLimits>;
  readonly logger?: FastifyServerOptions['logger'];
}

interface DirectorySettings extends InstanceSettings {
  /** Null or undefined: the embedded store. */
  readonly databaseUrl?: string | null;
}

/** Starts the service on a free port. It allows targets on this machine and, by default, only works on tests that are requested. */
export async function startDirectory({
  databaseUrl = null,
  ...settings
}: DirectorySettings = {}): Promise<DirectoryUnderTest> {
  const { store, close } = await openOwn(databaseUrl);
  const instance = await serveOn(store, settings).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    ...instance,
    stop: async () => {
      await instance.stop();
      await close();
    },
  };
}

async function openOwn(
  databaseUrl: string | null,
): Promise<Pick<Store, 'close'> & { readonly store: Store }> {
  if (databaseUrl === null) return openEmbedded();
  const store = await openStore({ databaseUrl, dataFolder: '', share: false });
  return { store, close: () => store.close() };
}

async function serveOn(
  store: Store,
  { limits, logger, ...settings }: InstanceSettings,
): Promise<DirectoryUnderTest> {
  const { url, metricsUrl, stop } = await serveDirectory(
    store,
    {
      ...DEFAULT_SETTINGS,
      port: 0,
      metrics: { host: '127.0.0.1', port: 0 },
      publicOnly: false,
      // No scheduled work.
      queues: ['test'],
      timedCalls: 0,
      // All targets of a test have the same address.
      budget: null,
      // Long, so that no test fails because the machine is slow.
      testDeadlineMs: 600_000,
      callTimeoutMs: 300_000,
      stopWithinMs: 600_000,
      ...settings,
      limits: { ...DEFAULT_LIMITS, ...limits },
    },
    logger,
  );
  const newKey = async (...scopes: readonly Scope[]): Promise<string> =>
    (await createKey(store.db, { name: 'test', scopes, expiresAt: null })).key;
  const key = await newKey(...SCOPES);
  const ask = (route: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
    return fetchWhole(`${url}${route}`, { ...init, headers });
  };
  const post = (route: string, body: unknown, headers = {}): Promise<Response> =>
    ask(route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const add = async (listing: Listing, decidedBy: FirstDecision['decidedBy'] = 'checks'): Promise<void> => {
    const first: FirstDecision = {
      decision: decidedBy === 'operator' ? 'list' : 'hold',
      decidedBy,
      rows: [],
    };
    await putEntries(store.db, [{ listing, first }], new Date());
  };
  const details = async (id: string): Promise<ServerDetails> => {
    const answer = await ask(`/v1/servers/${id}`);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as ServerDetails;
  };
  const plannedTest = async (id: string): Promise<void> => {
    const jobs = await startJobs(store, SILENT, { works: false });
    try {
      const data = { entryId: id, samples: null, traceparent: null };
      const jobId =
        (await jobs.send('test', { key: plannedKey(id), data, priority: CALLER_PRIORITY })) ??
        (await joinTest(store.db, id, { traceparent: null, hasInput: false }));
      if (jobId === null) throw new Error(`the test of ${id} ended meanwhile`);
      await eventually(
        () => testState(store.db, jobId),
        ({ kind }) => kind !== 'waiting' && kind !== 'running',
      );
    } finally {
      await jobs.stop();
    }
  };
  return {
    url,
    store,
    key,
    newKey,
    ask,
    add,
    list: (id, endpoint, more = {}) =>
      add(listingOf(id, endpoint, { uptime: 100, responseTime: 1, ...more }), 'operator'),
    test: (id, body) => {
      const route = `/v1/servers/${id}/test`;
      return body === undefined ? ask(route, { method: 'POST' }) : post(route, body);
    },
    plannedTest,
    decide: async (id) => {
      for (;;) {
        await plannedTest(id);
        const entry = await readEntry(store.db, id);
        if (entry?.doubt == null) return details(id);
      }
    },
    details,
    execute: async (id, body, headers) => {
      const answer = await post(`/v1/servers/${id}/execute`, body, headers);
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
    },
    metrics: async () => (await fetchWhole(`${metricsUrl}/metrics`)).text(),
    another: (others = {}) => serveOn(store, others),
    stop,
  };
}

/**
 * Reads every answer whole, also where a test needs only its head: undici ends the process if a server closes the
 * connection of an answer that nobody reads.
 */
export async function fetchWhole(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  await response.clone().arrayBuffer();
  return response;
}
