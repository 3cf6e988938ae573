import { availableParallelism } from 'node:os';
import type { Lock, LockMode } from '../../run/state/run-input.ts';

export interface TimedTarget {
  /** Null for this machine, whose cores the target shares. */
  readonly host: string | null;
  /** When it is timed. */
  readonly callsPerSecond: number;
}

export interface CheckLock extends Lock {
  /** Waits until the check may begin; it then shares the lock. */
  begin(): Promise<void>;
  /** Releases the lock for good, and ends every wait for it. */
  leave(): void;
}

/** Reports again and again how many cores the process used since the last report. Returns what ends that. */
export type Watch = (onUsed: (cores: number) => void) => () => void;

interface JoinedCheck {
  readonly target: TimedTarget;
  held: LockMode | null;
  sinceMs: number;
}

interface Wait {
  readonly check: JoinedCheck;
  readonly mode: LockMode | 'begin';
  readonly grant: () => void;
}

/** More checks begin only while those that work mostly wait for their targets. */
const MAX_WORKING = 2 * availableParallelism();
/** A check with many functions lets others be timed after this time. */
const MAX_EXCLUSIVE_MS = 2000;
const REPORT_MS = 50;
/** In cores. What other checks did is over then, or they only wait for their targets. */
const QUIET = 0.1;
/** After so many reports calls are timed beside what else this process does, which marks their figures. */
const MAX_REPORTS = 40;

/**
 * Lets checks work at once, but time their targets alone, so that figures show the target and not the other checks. Waits
 * are granted in their order, except that no check begins while another one waits to be timed: each that waits uses
 * memory. A check whose target hangs still shares the lock; therefore timing waits until the process is quiet, and not
 * until the others have released the lock. While they compute, it waits for as long as their deadlines let them. Targets on different hosts are timed together, because they share no cores:
 * one after another, ten of them would take ten times as long.
 */
export class TimingLock {
  readonly #watch: Watch;
  readonly #nowMs: () => number;
  readonly #checks = new Set<JoinedCheck>();
  #waits: readonly Wait[] = [];
  #reports = 0;
  #endWatch: (() => void) | null = null;

  constructor(watch: Watch = watchProcess, nowMs = () => performance.now()) {
    this.#watch = watch;
    this.#nowMs = nowMs;
  }

  join(target: TimedTarget): CheckLock {
    const check: JoinedCheck = { target, held: null, sinceMs: 0 };
    this.#checks.add(check);
    const release = (): void => {
      check.held = null;
      this.#advance(this.#checks.size === 1);
    };
    const wait = async (mode: Wait['mode']): Promise<void> => {
      const isOver = mode === 'exclusive' && this.#nowMs() - check.sinceMs >= MAX_EXCLUSIVE_MS;
      if (check.held === mode && !isOver) return;
      await new Promise<void>((grant) => {
        this.#waits = [...this.#waits, { check, mode, grant }];
        release();
      });
    };
    const leave = (): void => {
      this.#checks.delete(check);
      const own = this.#waits.filter((one) => one.check === check);
      this.#waits = this.#waits.filter((one) => one.check !== check);
      for (const { grant } of own) grant();
      release();
    };
    return { begin: () => wait('begin'), acquire: wait, release, leave };
  }

  #advance(isQuiet: boolean): void {
    let blocked: LockMode | null = null;
    for (const wait of this.#waits) {
      if (wait.mode === 'begin') continue;
      // Only waits of the same mode overtake another one.
      if (blocked !== null && wait.mode !== blocked) break;
      if (this.#isFree(wait, isQuiet)) this.#grant(wait);
      else blocked = wait.mode;
    }
    const isTiming = this.#holding('exclusive').length > 0;
    if (!isTiming && !this.#isTimingWanted()) {
      const places = MAX_WORKING - (isQuiet ? 0 : this.#holding('shared').length);
      const beginning = this.#waits.filter(({ mode }) => mode === 'begin');
      for (const wait of beginning.slice(0, Math.max(0, places))) this.#grant(wait);
    }
    if (this.#waits.length > 0 && !isTiming) this.#endWatch ??= this.#watch((cores) => this.#onReport(cores));
    else {
      this.#endWatch?.();
      this.#endWatch = null;
    }
  }

  #onReport(cores: number): void {
    this.#reports = this.#isTimingWanted() && this.#holding('shared').length === 0 ? this.#reports + 1 : 0;
    this.#advance(cores < QUIET || this.#reports >= MAX_REPORTS);
  }

  #holding(mode: LockMode): readonly JoinedCheck[] {
    return [...this.#checks].filter(({ held }) => held === mode);
  }

  #isTimingWanted(): boolean {
    return this.#waits.some(({ mode }) => mode === 'exclusive');
  }

  #isFree({ check, mode }: Wait, isQuiet: boolean): boolean {
    const timed = this.#holding('exclusive').map(({ target }) => target);
    if (timed.length === 0) return mode === 'shared' || isQuiet;
    return mode === 'exclusive' && fitsBeside(timed, check.target);
  }

  #grant(wait: Wait): void {
    this.#waits = this.#waits.filter((one) => one !== wait);
    if (wait.mode === 'exclusive') this.#reports = 0;
    wait.check.held = wait.mode === 'begin' ? 'shared' : wait.mode;
    wait.check.sinceMs = this.#nowMs();
    wait.grant();
  }
}

/** Of all targets together; with more, the client is late for some calls. */
const MAX_CALLS_PER_SECOND = 300;

/** Whether the client can time another target at once without being late. */
function fitsBeside(timed: readonly TimedTarget[], { host, callsPerSecond }: TimedTarget): boolean {
  const hosts = timed.map((one) => one.host);
  if (host === null || hosts.includes(null) || hosts.includes(host)) return false;
  return timed.reduce((sum, one) => sum + one.callsPerSecond, callsPerSecond) <= MAX_CALLS_PER_SECOND;
}

/** The CPU time of all threads of the process. */
function watchProcess(onUsed: (cores: number) => void): () => void {
  let before = process.cpuUsage();
  let sinceMs = performance.now();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    const passedMs = performance.now() - sinceMs;
    before = process.cpuUsage();
    sinceMs = performance.now();
    onUsed((user + system) / 1000 / passedMs);
  }, REPORT_MS);
  return () => clearInterval(timer);
}

/** For all checks of this process. */
export const timingLock = new TimingLock();
