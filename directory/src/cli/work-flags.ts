import { listenError, readAuthorities, say, UsageError } from 'probity/command-line';
import { telemetryIn } from 'probity/service';
import { openStore, type Store } from '../db/open-store.ts';
import { storeAwayError } from '../db/store-away.ts';
import {
  DEFAULT_BUDGET,
  DEFAULT_LIMITS,
  DEFAULT_SETTINGS,
  type QueueName,
  type RateLimits,
  type ServiceSettings,
} from '../settings/settings.ts';
import { type StoreFlags, storeOf } from './store-flags.ts';
import { openTargetKeys } from './target-keys.ts';

/** The options of the commands that work on jobs. */
export interface WorkFlags extends StoreFlags {
  readonly queues?: readonly QueueName[];
  readonly concurrency?: number;
  readonly allowPrivate?: boolean;
  readonly ca?: string;
  readonly probeEvery?: number;
  readonly testEvery?: number;
  readonly packageCommand?: ServiceSettings['packageCommands'];
  readonly targetKeys?: string;
  readonly targetRate?: number;
  readonly targetInFlight?: number;
  readonly testDeadline?: number;
  readonly timedCalls?: number;
  readonly limit?: Partial<RateLimits>;
  /** Set wherever the metrics can be served. */
  readonly metricsHost?: string;
  readonly metricsPort?: number;
  readonly logLevel: string;
}

export async function workSettings(flags: WorkFlags): Promise<ServiceSettings> {
  const ms = (seconds: number | undefined, defaultMs: number): number =>
    seconds === undefined ? defaultMs : seconds * 1000;
  const ca = flags.ca === undefined ? null : await readAuthorities(flags.ca);
  const targetKeys =
    flags.targetKeys === undefined ? null : await openTargetKeys(flags.targetKeys, process.env, warn);
  const telemetry = telemetryIn(process.env, 'probity-directory');
  for (const problem of telemetry.problems) warn(problem);
  return {
    ...DEFAULT_SETTINGS,
    metrics:
      flags.metricsPort === undefined
        ? null
        : { host: flags.metricsHost ?? DEFAULT_SETTINGS.host, port: flags.metricsPort },
    publicOnly: flags.allowPrivate !== true,
    queues: queuesOf(flags),
    packageCommands: flags.packageCommand ?? DEFAULT_SETTINGS.packageCommands,
    concurrency: flags.concurrency ?? DEFAULT_SETTINGS.concurrency,
    probeEveryMs: ms(flags.probeEvery, DEFAULT_SETTINGS.probeEveryMs),
    testEveryMs: ms(flags.testEvery, DEFAULT_SETTINGS.testEveryMs),
    budget: {
      perSecond: flags.targetRate ?? DEFAULT_BUDGET.perSecond,
      inFlight: flags.targetInFlight ?? DEFAULT_BUDGET.inFlight,
    },
    testDeadlineMs: ms(flags.testDeadline, DEFAULT_SETTINGS.testDeadlineMs),
    timedCalls: flags.timedCalls ?? DEFAULT_SETTINGS.timedCalls,
    limits: { ...DEFAULT_LIMITS, ...flags.limit },
    ca,
    telemetry,
    environment: targetKeys?.environment ?? process.env,
    targetKeys,
  };
}

/** Without a command for packages, other processes work on their queue. */
function queuesOf({ queues, packageCommand }: WorkFlags): readonly QueueName[] {
  if (packageCommand !== undefined) return queues ?? DEFAULT_SETTINGS.queues;
  if (queues?.includes('package-check') === true)
    throw new UsageError(
      '--queues package-check needs --package-command: packages are run only with a command of yours. Add it, or leave the queue out.',
    );
  return (queues ?? DEFAULT_SETTINGS.queues).filter((name) => name !== 'package-check');
}

function warn(words: string): void {
  say(`warning: ${words}`);
}

export function logOptions({ logLevel }: Pick<WorkFlags, 'logLevel'>) {
  return {
    level: logLevel,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: ['req.headers', 'headers', '*.authorization'], remove: true },
  };
}

/** The error, in words for the user if /metrics could not be served. */
export function metricsError(
  error: unknown,
  { metricsHost: host = DEFAULT_SETTINGS.host, metricsPort: port }: WorkFlags,
): unknown {
  return port === undefined || (error as { port?: unknown }).port !== port
    ? error
    : listenError(error, { host, port, option: '--metrics-port' });
}

/** Opens the store for a process that works on it alone, or beside others on a PostgreSQL server. */
export function openToWork(flags: StoreFlags): Promise<Store> {
  return openStore({ ...storeOf(flags), share: false });
}

/** What a service begins with on its store, which is closed if that fails, or if the database ends before. */
export async function startOn<Running>(store: Store, start: () => Promise<Running>): Promise<Running> {
  const failed = store.failed.then((error) => Promise.reject(error));
  try {
    return await Promise.race([start(), failed]);
  } catch (error) {
    await store.close().catch(() => undefined);
    throw storeAwayError(error);
  }
}

/** Stops at the first SIGINT or SIGTERM, and ends at the second. Ends too when the embedded database fails. */
export function stopOnSignals(store: Store, note: string, stop: () => Promise<void>): void {
  let stopping = false;
  const stopOnce = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    say(`${note} Press ctrl-C again to stop immediately.`);
    process.once('SIGINT', () => process.exit(130));
    process.once('SIGTERM', () => process.exit(143));
    await stop();
    await store.close();
  };
  process.once('SIGINT', () => void stopOnce());
  process.once('SIGTERM', () => void stopOnce());
  void store.failed.then((error) => {
    if (!stopping) throw error;
  });
}
