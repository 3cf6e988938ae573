import { type Exchange, headerValue } from '../model/exchange.ts';
import { isRateLimited, limitLeftOf } from '../model/rate-limit.ts';
import { type Step, usesEveryStep } from '../model/suite.ts';
import { isLoopback } from '../text/loopback.ts';
import type { Learned } from './state/learned.ts';
import type { RunInput } from './state/run-input.ts';
import { exploringOf } from './steps/exploring-settings.ts';
import { asksExecute, isExploring, isTimed } from './steps/step-kinds.ts';
import { endsAwaitedBy, listerOf, prerequisitesOf } from './steps/step-order.ts';

/**
 * The phases of a run, in order. Ordinary steps run as soon as what they need is answered; following ones call what was
 * called with success, one after the other. Timed calls come before invalid requests, or after all requests of the
 * contract if the target may limit the rate (`timesLast`).
 */
const ORDER = [
  'ordinary',
  'following',
  'timed',
  'negative',
  'finally',
  'exploring',
  'last',
  'looking-back',
] as const;
type RunPhase = (typeof ORDER)[number];

export interface PhasedSteps {
  readonly ordinary: readonly Step[];
  readonly following: readonly Step[];
  readonly timed: readonly Step[];
  /** Ordinary reads whose repetitions are put off until the timed calls are over, which fill their pause. */
  readonly deferred: ReadonlySet<Step>;
  /** Ordinary steps that begin after the end of a deferred one. */
  readonly dependents: ReadonlySet<Step>;
  /** The steps of the later phases that send requests for the contract, in order. */
  readonly later: readonly Step[];
  /** The steps after everything else, in order. */
  readonly closing: readonly Step[];
}

export function inPhases(steps: readonly Step[]): PhasedSteps {
  const lister = listerOf(steps);
  const phases = phasesOf(steps, lister);
  const [ordinary = [], following = [], timed = [], ...others] = ORDER.map((phase) =>
    steps.filter(({ id }) => phases.get(id) === phase),
  );
  const afterTimed = new Set(timed.map(({ id }) => id));
  const closing = others.flat().filter((step) => {
    const isClosing =
      ['last', 'looking-back'].includes(phases.get(step.id) ?? '') ||
      prerequisitesOf(step, lister).some((id) => afterTimed.has(id));
    if (isClosing) afterTimed.add(step.id);
    return isClosing;
  });
  const later = others.flat().filter((step) => !closing.includes(step));
  const calls = ordinary.filter(({ request }) => asksExecute(request));
  const awaited = awaitedBy([...calls, ...following, ...timed], steps, lister);
  const deferred = new Set(
    ordinary.filter((step) => waits(step) && !calls.includes(step) && !awaited.has(step.id)),
  );
  const dependents = new Set<Step>();
  for (const step of ordinary) {
    const isAwaited = (other: Step): boolean =>
      (deferred.has(other) && endsAwaitedBy(step, lister).includes(other.id)) ||
      (dependents.has(other) && prerequisitesOf(step, lister).includes(other.id));
    if (ordinary.some(isAwaited)) dependents.add(step);
  }
  return { ordinary, following, timed, deferred, dependents, later, closing };
}

/** What the usual rate limiter allows in its window. */
const USUAL_LIMIT = 100;
/** More than the timed calls and the rest of a check need. */
const ENOUGH_REQUESTS = 1000;

/**
 * Whether timed calls come after all requests of the contract, because the target may allow no more requests after them.
 * Otherwise they fill the wait before the repeated reads. Pure.
 */
export function timesLast(
  exchanges: readonly Exchange[],
  { timed, deferred, later }: PhasedSteps,
  { form, saved }: Learned,
  { targetUrl, settings }: Pick<RunInput, 'targetUrl' | 'settings'>,
): boolean {
  if (timed.length === 0 || settings.mcp !== undefined) return false;
  if (!isLoopback(new URL(targetUrl).hostname) || exchanges.some(isRateLimited)) return true;
  const limits = exchanges.flatMap((exchange) => {
    if (exchange.kind !== 'answered') return [];
    const { headers } = exchange.response;
    return limitLeftOf({ get: (name) => headerValue(headers, name) ?? null }, 0)?.remaining ?? [];
  });
  if (limits.length > 0) return Math.min(...limits) < ENOUGH_REQUESTS;
  const listed = saved.get('functions');
  const functionCount = Array.isArray(listed) ? listed.length : 0;
  const { valid, invalid, again, sequences = 0 } = exploringOf(settings);
  const requestsOf = (step: Step): number => {
    if (step.request === null || (step.when.form !== null && step.when.form !== form.form)) return 0;
    const { forEach, cases, times } = step.rounds;
    const items = forEach === null ? 1 : Math.min(forEach.first ?? functionCount, functionCount);
    if (step.experiment?.name === 'sequences') return items * sequences;
    return items * (isExploring(step) ? valid + invalid + again : (cases?.length ?? 1) * times);
  };
  const left = later.reduce((sum, step) => sum + requestsOf(step), deferred.size);
  return left > 0 && exchanges.length + left <= USUAL_LIMIT;
}

function waits({ rounds }: Step): boolean {
  return rounds.forEach === null && rounds.apartMs > 0;
}

/** The steps whose end others wait for, directly or not. */
function awaitedBy(
  waiting: readonly Step[],
  steps: readonly Step[],
  lister: Step | null,
): ReadonlySet<string> {
  const awaited = new Set<string>();
  const looked = new Set<string>();
  const look = (step: Step): void => {
    if (looked.has(step.id)) return;
    looked.add(step.id);
    const ends = endsAwaitedBy(step, lister);
    for (const id of ends) awaited.add(id);
    for (const other of steps) if (step.needs.includes(other.id) || ends.includes(other.id)) look(other);
  };
  for (const step of waiting) look(step);
  return awaited;
}

function phasesOf(steps: readonly Step[], lister: Step | null): ReadonlyMap<string, RunPhase> {
  const phases = new Map<string, RunPhase>();
  // Each step comes after its prerequisites.
  for (const step of steps) {
    const own = ownPhaseOf(step);
    const before = prerequisitesOf(step, lister).map((id) => phases.get(id));
    const waitsFor = (['timed', 'following'] as const).find((phase) => before.includes(phase));
    phases.set(step.id, isBefore(own, waitsFor) ? (waitsFor ?? own) : own);
  }
  return phases;
}

function isBefore(phase: RunPhase, other: RunPhase | undefined): boolean {
  return other !== undefined && ORDER.indexOf(phase) < ORDER.indexOf(other);
}

function ownPhaseOf(step: Step): RunPhase {
  if (usesEveryStep(step) && step.request === null) return 'looking-back';
  if (isExploring(step)) return 'exploring';
  if (step.phase !== null) return step.phase;
  if (isTimed(step)) return 'timed';
  return step.rounds.forEach?.succeeded != null && asksExecute(step.request) ? 'following' : 'ordinary';
}
