import type { TelemetrySettings } from 'probity/service';

/** The queues of jobs; `directory/src/jobs/queues.ts` describes each. */
export const QUEUE_NAMES = [
  'schedule',
  'probe',
  'test',
  'audit',
  'follow',
  'package-check',
  'clean-up',
  'statistics',
  'dead-letter',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** The kinds of packages that a command can start, by the names that registries use. */
export const PACKAGE_TYPES = ['npm', 'pypi', 'oci', 'nuget', 'mcpb'] as const;
export type PackageType = (typeof PACKAGE_TYPES)[number];

/** A program and its arguments, with the placeholders `{identifier}` and `{version}`. */
export type PackageCommand = readonly [program: string, ...rest: string[]];

/** The operations that a key can allow. */
export const SCOPES = ['read', 'test', 'execute', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
/** Those of a key for which the operator names none. */
export const DEFAULT_SCOPES: readonly Scope[] = ['read', 'test', 'execute'];

/** Allows a number of calls in each time window. */
export interface RateLimit {
  readonly name: string;
  readonly calls: number;
  readonly windowSeconds: number;
}

/** What all processes of a directory together may send to one host, and to one address. */
export interface Budget {
  /** Requests that begin in any second. */
  readonly perSecond: number;
  readonly inFlight: number;
}

/** The settings that an operator can change. */
export interface ServiceSettings {
  /** Address and port to listen on; port 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  /** Where /metrics is served, apart from the port of the callers; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Connect only to targets on public addresses. */
  readonly publicOnly: boolean;
  /** Whether the pages can be read without a key. */
  readonly publicPages: boolean;
  /** How often each target's /health is read. */
  readonly probeEveryMs: number;
  /** How often each target is tested automatically. */
  readonly testEveryMs: number;
  /** The queues whose jobs this process works on. Empty: it only answers requests, and other processes work. */
  readonly queues: readonly QueueName[];
  /** How many jobs of a queue this process runs at once; null: the default of each queue. */
  readonly concurrency: number | null;
  /** What all processes of the directory together may send to one host or address by themselves; null: no bound. */
  readonly budget: Budget | null;
  readonly testDeadlineMs: number;
  /** How the operator starts packages of others. Those of a type without a command are never run. */
  readonly packageCommands: Readonly<Partial<Record<PackageType, PackageCommand>>>;
  /** Timed calls of /health and of /capabilities in a test; functions are in proportion. 0: none; null: default. */
  readonly timedCalls: number | null;
  readonly callTimeoutMs: number;
  /** When the service stops, requests under way have this time; then they are interrupted. */
  readonly stopWithinMs: number;
  readonly limits: ServiceLimits;
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** The public address of the service, without a trailing slash; null: the address in each request. */
  readonly publicUrl: string | null;
  /** Of the names of entries in the registry API, such as `org.example`; null: the host of `publicUrl`, backwards. */
  readonly namespace: string | null;
  /** PEM certificates of the authorities to trust in calls to targets; null for the default ones. */
  readonly ca: string | null;
  /** Where the spans of the service are exported; null: nowhere. */
  readonly telemetry: TelemetrySettings | null;
  /** Environment variables with the keys of targets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The same from a file that may change; null without one. */
  readonly targetKeys: TargetKeys | null;
}

/** The keys of targets from a file. */
export interface TargetKeys {
  /** Those of the file, before those of the environment. It changes with the file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Calls the listener with the names of variables that have changed. Returns how to end that. */
  onChange(listener: (names: readonly string[]) => void): () => void;
  close(): void;
}

export interface ServiceLimits {
  /** For each key. */
  readonly read: RateLimit;
  readonly test: RateLimit;
  readonly execute: RateLimit;
  readonly admin: RateLimit;
  /** For each target, all callers together. */
  readonly targetCalls: RateLimit;
  readonly targetTests: RateLimit;
  /** Tests of one instance that run at the same time, and tests that are queued. */
  readonly runningTests: number;
  readonly waitingTests: number;
  /** Threads that untimed tests share; the others have a thread of their own. */
  readonly checkThreads: number;
  readonly runningCalls: number;
}

export const RATE_LIMIT_NAMES = ['read', 'test', 'execute', 'admin', 'targetCalls', 'targetTests'] as const;
export type RateLimitName = (typeof RATE_LIMIT_NAMES)[number];
export type RateLimits = Pick<ServiceLimits, RateLimitName>;

const MINUTE_S = 60;

export const DEFAULT_LIMITS: ServiceLimits = {
  read: { name: 'read', calls: 600, windowSeconds: MINUTE_S },
  test: { name: 'test', calls: 30, windowSeconds: MINUTE_S },
  execute: { name: 'execute', calls: 300, windowSeconds: MINUTE_S },
  admin: { name: 'admin', calls: 300, windowSeconds: MINUTE_S },
  targetCalls: { name: 'target-calls', calls: 600, windowSeconds: MINUTE_S },
  targetTests: { name: 'target-tests', calls: 10, windowSeconds: MINUTE_S },
  runningTests: 2,
  waitingTests: 32,
  checkThreads: 2,
  runningCalls: 64,
};

export const DEFAULT_BUDGET: Budget = { perSecond: 20, inFlight: 8 };

export const DEFAULT_SETTINGS: ServiceSettings = {
  host: '127.0.0.1',
  port: 8080,
  metrics: null,
  publicOnly: true,
  publicPages: false,
  probeEveryMs: 5 * 60_000,
  testEveryMs: 24 * 60 * 60_000,
  queues: QUEUE_NAMES,
  concurrency: null,
  budget: DEFAULT_BUDGET,
  testDeadlineMs: 30_000,
  packageCommands: {},
  timedCalls: null,
  callTimeoutMs: 30_000,
  stopWithinMs: 10_000,
  limits: DEFAULT_LIMITS,
  trustedProxies: [],
  publicUrl: null,
  namespace: null,
  ca: null,
  telemetry: null,
  environment: {},
  targetKeys: null,
};

/** How long an observed state lasts. Later time is not observed time. */
export function holdsMsOf({ probeEveryMs }: Pick<ServiceSettings, 'probeEveryMs'>): number {
  return 2 * probeEveryMs;
}
