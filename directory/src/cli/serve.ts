import ipaddr from 'ipaddr.js';
import { listenError, say, UsageError } from 'probity/command-line';
import { makeChecksLessUrgent, readPolicy } from 'probity/service';
import { listKeys } from '../accounts/keys.ts';
import { changePolicy } from '../entries/policies.ts';
import { serveDirectory } from '../service/serve.ts';
import { workDirectory } from '../service/work.ts';
import { policyWith } from '../settings/policy.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { shellWord } from '../settings/shell-word.ts';
import { authorOf } from './author.ts';
import { registryAddress, startFollowing } from './registry.ts';
import { commandFor, storeOf } from './store-flags.ts';
import {
  logOptions,
  metricsError,
  openToWork,
  startOn,
  stopOnSignals,
  type WorkFlags,
  workSettings,
} from './work-flags.ts';

interface ServeFlags extends WorkFlags {
  readonly host: string;
  readonly port: number;
  /** Addresses of registries. */
  readonly follow?: readonly string[];
  /** In milliseconds. */
  readonly followEvery?: number;
  readonly followMaxServers?: number;
  /** A file. */
  readonly policy?: string;
  readonly publicPages?: boolean;
  readonly publicUrl?: string;
  readonly namespace?: string;
  readonly trustProxy?: readonly string[];
  readonly worker: boolean;
}

export async function serve(flags: ServeFlags): Promise<void> {
  refuseProxies(flags.trustProxy ?? []);
  if (!flags.worker && storeOf(flags).databaseUrl === null)
    throw new UsageError(
      '--no-worker needs DATABASE_URL: no other process can work on the embedded database. Leave it out.',
    );
  const settings = await settingsOf(flags);
  // Callers wait for searches and for calls of the gateway. A separate worker has the processors to itself.
  makeChecksLessUrgent();
  const policy = flags.policy === undefined ? null : policyWith(readPolicy(flags.policy));
  const followed = (flags.follow ?? []).map((url) => registryAddress(url, flags.allowPrivate === true));
  const store = await openToWork(flags);
  const { running, hasNoKeys } = await startOn(store, async () => {
    await startFollowing(store.db, followed, {
      every: flags.followEvery,
      maxServers: flags.followMaxServers,
    });
    if (policy !== null) await changePolicy(store.db, policy, authorOf({}));
    const keys = await listKeys(store.db);
    return {
      running: await serveDirectory(store, settings, logOptions(flags)),
      hasNoKeys: keys.length === 0,
    };
  }).catch((error: unknown) => {
    throw listenError(metricsError(error, flags), flags);
  });
  stopOnSignals(store, 'Stopping when the requests in flight are finished.', () => running.stop());
  // Printed after the signal handlers are set: a program that reads the address may stop the service immediately.
  process.stdout.write(`${running.url}\n`);
  const where =
    store.kind === 'embedded'
      ? `the embedded database in ${flags.data}`
      : 'the PostgreSQL server of DATABASE_URL';
  say(`The directory serves ${running.url}/v1 from ${where}. ctrl-C stops it.`);
  if (running.metricsUrl !== null) say(`Metrics for Prometheus: ${running.metricsUrl}/metrics`);
  if (hasNoKeys)
    say(
      `There is no API key yet. Create one in another terminal: ${commandFor(`key create ${shellWord(authorOf({}))}`, flags)}`,
    );
}

async function settingsOf(flags: ServeFlags): Promise<ServiceSettings> {
  const settings = await workSettings(flags);
  return {
    ...settings,
    host: flags.host,
    port: flags.port,
    publicPages: flags.publicPages === true,
    publicUrl: flags.publicUrl ?? null,
    namespace: flags.namespace ?? null,
    trustedProxies: flags.trustProxy ?? [],
    queues: flags.worker ? settings.queues : [],
  };
}

function refuseProxies(addresses: readonly string[]): void {
  const wrong = addresses.find((address) => !ipaddr.isValid(address) && !ipaddr.isValidCIDR(address));
  if (wrong !== undefined)
    throw new UsageError(
      `--trust-proxy ${wrong} is not an IP address. Give an address such as 10.0.0.2, or a network such as 10.0.0.0/24.`,
    );
}

/** Works on the jobs of a directory until it is stopped. */
export async function work(flags: WorkFlags): Promise<void> {
  if (storeOf(flags).databaseUrl === null)
    throw new UsageError(
      'A worker needs DATABASE_URL, the PostgreSQL server of the directory: only one process can work on the embedded database, and `directory serve` does.',
    );
  const settings = await workSettings(flags);
  const store = await openToWork(flags);
  const running = await startOn(store, () => workDirectory(store, settings, logOptions(flags))).catch(
    (error: unknown) => {
      throw metricsError(error, flags);
    },
  );
  stopOnSignals(store, 'Stopping when the tests that callers wait for are finished.', () => running.stop());
  if (running.metricsUrl !== null) say(`Metrics for Prometheus: ${running.metricsUrl}/metrics`);
  say(`Working on ${settings.queues.join(', ')}. ctrl-C stops it.`);
}
