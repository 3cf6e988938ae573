/** A limit of so many calls within each window of so many seconds. */
export interface RateLimit {
  readonly name: string;
  readonly calls: number;
  readonly windowSeconds: number;
}

/** What an operator may decide of the service. */
export interface ServiceSettings {
  /** Address and port to listen on; port 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  /** Connect to nothing but public addresses when targets are probed, tested and called. */
  readonly publicOnly: boolean;
  /** Whether the pages can be read without a key. */
  readonly publicPages: boolean;
  /** How often each target's /health is read. */
  readonly probeEveryMs: number;
  /** How often each target is tested without being asked to. */
  readonly testEveryMs: number;
  /** False: this instance only answers, and others probe and test. */
  readonly background: boolean;
  readonly testDeadlineMs: number;
  /** Timed calls of /health and of /capabilities in a test, and in proportion of the functions; 0 for none, null for the usual number. */
  readonly timedCalls: number | null;
  readonly callTimeoutMs: number;
  readonly limits: ServiceLimits;
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Where the service is reached from outside, without a slash at its end; null: as the request says. */
  readonly publicUrl: string | null;
  /** Certificates of the authorities to trust when targets are called, as PEM; null for the usual ones. */
  readonly ca: string | null;
  /** Where targets' own keys are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface ServiceLimits {
  /** Of each key. */
  readonly read: RateLimit;
  readonly test: RateLimit;
  readonly execute: RateLimit;
  /** Of each target, whoever asks. */
  readonly targetCalls: RateLimit;
  readonly targetTests: RateLimit;
  /** Tests that run at the same time in one instance, and that wait. */
  readonly runningTests: number;
  readonly waitingTests: number;
  readonly runningCalls: number;
}

export const RATE_LIMIT_NAMES = ['read', 'test', 'execute', 'targetCalls', 'targetTests'] as const;
export type RateLimitName = (typeof RATE_LIMIT_NAMES)[number];
export type RateLimits = Pick<ServiceLimits, RateLimitName>;

const MINUTE_S = 60;

export const DEFAULT_LIMITS: ServiceLimits = {
  read: { name: 'read', calls: 600, windowSeconds: MINUTE_S },
  test: { name: 'test', calls: 30, windowSeconds: MINUTE_S },
  execute: { name: 'execute', calls: 300, windowSeconds: MINUTE_S },
  targetCalls: { name: 'target-calls', calls: 600, windowSeconds: MINUTE_S },
  targetTests: { name: 'target-tests', calls: 10, windowSeconds: MINUTE_S },
  runningTests: 2,
  waitingTests: 32,
  runningCalls: 64,
};

export const DEFAULT_SETTINGS: ServiceSettings = {
  host: '127.0.0.1',
  port: 8080,
  publicOnly: true,
  publicPages: false,
  probeEveryMs: 5 * 60_000,
  testEveryMs: 24 * 60 * 60_000,
  background: true,
  testDeadlineMs: 30_000,
  timedCalls: null,
  callTimeoutMs: 30_000,
  limits: DEFAULT_LIMITS,
  trustedProxies: [],
  publicUrl: null,
  ca: null,
  environment: {},
};

/** How long a probe's answer says something of the target: beyond, it is not observed time. */
export function holdsMsOf({ probeEveryMs }: Pick<ServiceSettings, 'probeEveryMs'>): number {
  return 2 * probeEveryMs;
}
