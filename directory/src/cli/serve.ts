import ipaddr from 'ipaddr.js';
import { listenError, readAuthorities, say, UsageError } from 'probity/command-line';
import { serveDirectory } from '../serve.ts';
import {
  DEFAULT_LIMITS,
  DEFAULT_SETTINGS,
  type RateLimits,
  type ServiceSettings,
} from '../settings/service-settings.ts';
import { listKeys } from '../store/keys.ts';
import { openStore } from '../store/open-store.ts';
import { type StoreFlags, storeOf } from './store-flags.ts';

interface ServeFlags extends StoreFlags {
  readonly host: string;
  readonly port: number;
  readonly publicPages?: boolean;
  readonly publicUrl?: string;
  readonly trustProxy?: readonly string[];
  readonly allowPrivate?: boolean;
  readonly ca?: string;
  readonly probeEvery?: number;
  readonly testEvery?: number;
  readonly background: boolean;
  readonly testDeadline?: number;
  readonly timedCalls?: number;
  readonly limit?: Partial<RateLimits>;
  readonly logLevel: string;
}

export async function serve(flags: ServeFlags): Promise<void> {
  refuseProxies(flags.trustProxy ?? []);
  const settings = await settingsOf(flags);
  const store = await openStore({ ...storeOf(flags), share: false });
  const running = await serveDirectory(store, settings, {
    level: flags.logLevel,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: ['req.headers', 'headers', '*.authorization'], remove: true },
  }).catch(async (error: unknown) => {
    await store.close();
    throw listenError(error, flags);
  });
  const hasNoKeys = (await listKeys(store.db)).length === 0;
  const stop = once(async () => {
    say('Stopping when the requests in flight are finished. Press ctrl-C again to stop immediately.');
    process.once('SIGINT', () => process.exit(130));
    process.once('SIGTERM', () => process.exit(143));
    await running.stop();
    await store.close();
  });
  process.once('SIGINT', () => void stop());
  process.once('SIGTERM', () => void stop());
  void store.failed.then((error) => {
    if (stop.called()) return;
    throw error;
  });
  // Printed after the signal handlers are set: a program that reads the address may stop the service immediately.
  process.stdout.write(`${running.url}\n`);
  const where =
    store.kind === 'embedded'
      ? `the embedded database in ${flags.data}`
      : 'the PostgreSQL server of DATABASE_URL';
  say(`The directory serves ${running.url}/v1 from ${where}. ctrl-C stops it.`);
  if (hasNoKeys)
    say('There is no API key yet. Create one in another terminal: probity directory key create NAME');
}

function once(work: () => Promise<void>): (() => Promise<void>) & { readonly called: () => boolean } {
  let done: Promise<void> | null = null;
  const run = (): Promise<void> => {
    done ??= work();
    return done;
  };
  return Object.assign(run, { called: () => done !== null });
}

async function settingsOf(flags: ServeFlags): Promise<ServiceSettings> {
  const ms = (seconds: number | undefined, defaultMs: number): number =>
    seconds === undefined ? defaultMs : seconds * 1000;
  return {
    ...DEFAULT_SETTINGS,
    host: flags.host,
    port: flags.port,
    publicOnly: flags.allowPrivate !== true,
    publicPages: flags.publicPages === true,
    publicUrl: flags.publicUrl?.replace(/\/+$/, '') ?? null,
    trustedProxies: flags.trustProxy ?? [],
    background: flags.background,
    probeEveryMs: ms(flags.probeEvery, DEFAULT_SETTINGS.probeEveryMs),
    testEveryMs: ms(flags.testEvery, DEFAULT_SETTINGS.testEveryMs),
    testDeadlineMs: ms(flags.testDeadline, DEFAULT_SETTINGS.testDeadlineMs),
    timedCalls: flags.timedCalls ?? DEFAULT_SETTINGS.timedCalls,
    limits: { ...DEFAULT_LIMITS, ...flags.limit },
    ca: flags.ca === undefined ? null : await readAuthorities(flags.ca),
    environment: process.env,
  };
}

function refuseProxies(addresses: readonly string[]): void {
  const wrong = addresses.find((address) => !ipaddr.isValid(address) && !ipaddr.isValidCIDR(address));
  if (wrong !== undefined)
    throw new UsageError(
      `--trust-proxy ${wrong} is not an IP address. Give an address such as 10.0.0.2, or a network such as 10.0.0.0/24.`,
    );
}
