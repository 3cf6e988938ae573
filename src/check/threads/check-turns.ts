import { availableParallelism } from 'node:os';
import { TIMED_RATE_ON_LOOPBACK } from '../../run/experiments/plan-sample.ts';
import type { Turns } from '../../run/run-turns.ts';

/** The turns of one check, which begins as one that rests. */
export interface CheckTurns extends Turns {
  /** Ends what it does, and what it waits for. */
  leave(): void;
}

/** Beside which others the calls of a check may be timed. */
export type Beside =
  /** Its target runs on this machine, and shares its cores. */
  | { readonly kind: 'nobody' }
  /** Beside targets on other hosts. */
  | { readonly kind: 'other-hosts'; readonly host: string; readonly callsPerSecond: number };

export interface ProcessTurns {
  join(beside: Beside): CheckTurns;
}

export interface ProcessTurnsOptions {
  /** How many checks may begin at once; more begin while the process has little to do. */
  readonly cores: number;
  /** Reports again and again how many cores the process used since the last report. Returns what ends that. */
  readonly watch: (onUsed: (cores: number) => void) => () => void;
}

interface Check {
  readonly beside: Beside;
  state: 'rests' | 'works' | 'times';
  isNew: boolean;
}

interface Wish {
  readonly check: Check;
  readonly state: 'works' | 'times';
  readonly grant: () => void;
}

/** Checks are timed in rows, so that the others need not stop and go on for each of them. */
const MAX_IN_ROW = 4;
const MAX_AT_ONCE_PER_CORE = 2;
/** While so many wait to be timed, another check would only use memory. */
const MAX_WAITING_TO_BE_TIMED = 2 * MAX_IN_ROW;

/** For all targets together: as many as for one on this machine, which the client can send without being late. */
const MAX_TIMED_CALLS_PER_SECOND = TIMED_RATE_ON_LOOPBACK;

/** In cores. What is left of other checks, like the end of a thread, is then over. */
const QUIET = 0.25;
/** Checks that work, but only wait for their targets, are not waited for. */
const IDLE = 0.08;
const IDLE_REPORTS = 5;
/** After so many reports the calls are timed beside the work, which marks their figures. */
const MAX_REPORTS = 100;
/** After so many reports no more work begins before calls are timed. */
const MAX_ADMITTING_REPORTS = 25;

/**
 * Lets checks work at once, and lets calls be timed while no other check works. Both alternate: work is done until it
 * ends or only waits for targets, and then the calls of a few checks are timed: one check after another if the targets
 * are on this machine, several at once if they are on different hosts.
 */
export function createProcessTurns({ cores, watch }: ProcessTurnsOptions): ProcessTurns {
  const maxAtOnce = cores * MAX_AT_ONCE_PER_CORE;
  const checks = new Set<Check>();
  const wishes: Wish[] = [];
  /** Turns since other work was done; 0 while it is done. */
  let inRow = 0;
  let begun = 0;
  let reports = 0;
  let idleReports = 0;
  let endWatch: (() => void) | null = null;

  const allThat = (state: Check['state']): readonly Check[] =>
    [...checks].filter((one) => one.state === state);
  const count = (state: Check['state']): number => allThat(state).length;
  const wanting = (state: Wish['state']): readonly Wish[] => wishes.filter((wish) => wish.state === state);

  const grant = (wish: Wish): void => {
    wishes.splice(wishes.indexOf(wish), 1);
    wish.check.state = wish.state;
    wish.grant();
  };

  const letWork = (): void => {
    const waiting = wanting('times').length;
    const isTimingWanted = waiting > 0;
    if (isTimingWanted && reports > MAX_ADMITTING_REPORTS) return;
    // On a busy machine a process that waits for a processor uses little of it, but more than an idle one.
    const spare = idleReports >= IDLE_REPORTS ? maxAtOnce : 0;
    let places = Math.max(maxAtOnce - count('works'), spare);
    for (const wish of wanting('works')) {
      if (wish.check.isNew) {
        if (places <= 0 || waiting >= MAX_WAITING_TO_BE_TIMED) continue;
        if (isTimingWanted && begun >= maxAtOnce) continue;
        begun += 1;
        places -= 1;
        wish.check.isNew = false;
      }
      grant(wish);
    }
  };

  const mayTime = (usedCores: number | null): boolean => {
    if (checks.size === 1) return true;
    if (usedCores === null) return false;
    const isFree = inRow > 0 || count('works') === 0;
    if (isFree && usedCores < QUIET) return true;
    return idleReports >= IDLE_REPORTS || reports >= MAX_REPORTS;
  };

  const timeTogether = (): void => {
    for (const wish of wanting('times')) if (fitsBeside(allThat('times'), wish.check)) grant(wish);
  };

  const advance = (usedCores: number | null = null): void => {
    if (count('times') > 0) {
      // Otherwise those that wait to work would wait without end.
      if (wanting('works').length === 0) timeTogether();
    } else {
      const isRowOver = inRow >= MAX_IN_ROW && wanting('works').length > 0;
      if (wanting('times').length === 0 || isRowOver) {
        inRow = 0;
        begun = 0;
      }
      if (inRow === 0) letWork();
      const [next] = wanting('times');
      if (next !== undefined && mayTime(usedCores)) {
        // Targets on other hosts take longer, and are timed together.
        inRow += next.check.beside.kind === 'nobody' ? 1 : MAX_IN_ROW;
        reports = 0;
        idleReports = 0;
        grant(next);
        timeTogether();
      }
    }
    if (wishes.length > 0 && count('times') === 0) endWatch ??= watch(report);
    else {
      endWatch?.();
      endWatch = null;
    }
  };

  const report = (usedCores: number): void => {
    reports = wanting('times').length > 0 ? reports + 1 : 0;
    idleReports = usedCores < IDLE ? idleReports + 1 : 0;
    advance(usedCores);
  };

  return {
    join: (beside) => {
      const check: Check = { beside, state: 'rests', isNew: true };
      checks.add(check);
      const rest = (): void => {
        check.state = 'rests';
        advance();
      };
      const wish = (state: Wish['state']): Promise<void> => {
        check.state = 'rests';
        return new Promise((resolve) => {
          wishes.push({ check, state, grant: resolve });
          advance();
        });
      };
      return {
        rest,
        work: () => wish('works'),
        time: () => wish('times'),
        leave: () => {
          checks.delete(check);
          for (const own of wishes.filter((one) => one.check === check)) {
            wishes.splice(wishes.indexOf(own), 1);
            own.grant();
          }
          advance();
        },
      };
    },
  };
}

function fitsBeside(timed: readonly Check[], { beside }: Check): boolean {
  if (beside.kind === 'nobody') return timed.length === 0;
  let callsPerSecond = beside.callsPerSecond;
  for (const { beside: other } of timed) {
    if (other.kind === 'nobody' || other.host === beside.host) return false;
    callsPerSecond += other.callsPerSecond;
  }
  return timed.length === 0 || callsPerSecond <= MAX_TIMED_CALLS_PER_SECOND;
}

const REPORT_MS = 20;

/** The CPU time of all threads of the process. */
function watchProcess(onUsed: (cores: number) => void): () => void {
  let before = process.cpuUsage();
  let sinceMs = performance.now();
  const timer = setInterval(() => {
    const now = process.cpuUsage();
    const nowMs = performance.now();
    const usedMs = (now.user + now.system - before.user - before.system) / 1000;
    const passedMs = nowMs - sinceMs;
    before = now;
    sinceMs = nowMs;
    onUsed(usedMs / passedMs);
  }, REPORT_MS);
  return () => clearInterval(timer);
}

/** For all checks of this process. */
export const processTurns = createProcessTurns({ cores: availableParallelism(), watch: watchProcess });
