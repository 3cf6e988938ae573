import { type Exchange, headerValue } from '../model/exchange.ts';
import { isRateLimited, limitLeftOf } from '../model/rate-limit.ts';
import { type Step, usesEveryStep } from '../model/suite.ts';
import { isLoopback } from '../text/loopback.ts';
import { exploringOf } from './exploring-settings.ts';
import type { Learned } from './learned.ts';
import { asksExecute, callsSequences, isExploring } from './operation.ts';
import type { RunInput } from './run-input.ts';
import { endsAwaitedBy, prerequisitesOf } from './selection.ts';

/**
 * Calls are repeated after all first calls. Timed calls run when nothing else does, also while a repeated read waits; if
 * the target may limit the rate, they run after the phase of exploring. Invalid requests come after valid ones, then
 * functions are explored, and the steps that judge all answers come last.
 */
const PHASES = [
  'ordinary',
  'following',
  'timed',
  'negative',
  'finally',
  'exploring',
  'last',
  'looking-back',
] as const;
type Phase = (typeof PHASES)[number];

export interface PhasedSteps {
  readonly ordinary: readonly Step[];
  readonly following: readonly Step[];
  readonly timed: readonly Step[];
  /** Ordinary reads whose repetitions wait for the end of the timed calls. */
  readonly unhurried: ReadonlySet<Step>;
  /** Ordinary steps that begin after the end of an unhurried one. */
  readonly belated: ReadonlySet<Step>;
  /** The steps of the later phases that send requests for the contract, in order. */
  readonly later: readonly Step[];
  /** The steps after everything else, in order. */
  readonly closing: readonly Step[];
}

export function inPhases(steps: readonly Step[]): PhasedSteps {
  const phases = phasesOf(steps);
  const [ordinary = [], following = [], timed = [], ...others] = PHASES.map((phase) =>
    steps.filter(({ id }) => phases.get(id) === phase),
  );
  const afterTimed = new Set(timed.map(({ id }) => id));
  const closing = others.flat().filter((step) => {
    const isClosing =
      ['last', 'looking-back'].includes(phases.get(step.id) ?? '') ||
      prerequisitesOf(step).some((id) => afterTimed.has(id));
    if (isClosing) afterTimed.add(step.id);
    return isClosing;
  });
  const later = others.flat().filter((step) => !closing.includes(step));
  const calls = ordinary.filter(({ request }) => asksExecute(request));
  const awaited = awaitedBy([...calls, ...following, ...timed], steps);
  const unhurried = new Set(
    ordinary.filter((step) => waits(step) && !calls.includes(step) && !awaited.has(step.id)),
  );
  const belated = new Set<Step>();
  for (const step of ordinary) {
    const isAwaited = (other: Step): boolean =>
      (unhurried.has(other) && endsAwaitedBy(step).includes(other.id)) ||
      (belated.has(other) && prerequisitesOf(step).includes(other.id));
    if (ordinary.some(isAwaited)) belated.add(step);
  }
  return { ordinary, following, timed, unhurried, belated, later, closing };
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
  { timed, unhurried, later }: PhasedSteps,
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
    const rounds = step.forEach === null ? 1 : Math.min(step.forEach.first ?? functionCount, functionCount);
    if (isExploring(step)) return rounds * (callsSequences(step) ? sequences : valid + invalid + again);
    return rounds * (step.cases?.length ?? 1) * step.repeat.times;
  };
  const left = later.reduce((sum, step) => sum + requestsOf(step), unhurried.size);
  return left > 0 && exchanges.length + left <= USUAL_LIMIT;
}

function waits({ forEach, repeat }: Step): boolean {
  return forEach === null && repeat.apartMs > 0;
}

/** The steps whose end others wait for, directly or not. */
function awaitedBy(waiting: readonly Step[], steps: readonly Step[]): ReadonlySet<string> {
  const awaited = new Set<string>();
  const looked = new Set<string>();
  const look = (step: Step): void => {
    if (looked.has(step.id)) return;
    looked.add(step.id);
    const ends = endsAwaitedBy(step);
    for (const id of ends) awaited.add(id);
    for (const other of steps) if (step.needs.includes(other.id) || ends.includes(other.id)) look(other);
  };
  for (const step of waiting) look(step);
  return awaited;
}

function phasesOf(steps: readonly Step[]): ReadonlyMap<string, Phase> {
  const phases = new Map<string, Phase>();
  // Each step comes after its prerequisites.
  for (const step of steps) {
    const own = ownPhaseOf(step);
    const before = prerequisitesOf(step).map((id) => phases.get(id));
    const waitsFor = (['timed', 'following'] as const).find((phase) => before.includes(phase));
    phases.set(step.id, isBefore(own, waitsFor) ? (waitsFor ?? own) : own);
  }
  return phases;
}

function isBefore(phase: Phase, other: Phase | undefined): boolean {
  return other !== undefined && PHASES.indexOf(phase) < PHASES.indexOf(other);
}

function ownPhaseOf(step: Step): Phase {
  if (usesEveryStep(step) && step.request === null) return 'looking-back';
  if (isExploring(step)) return 'exploring';
  if (step.last) return 'last';
  if (step.finally) return 'finally';
  if (step.negative) return 'negative';
  if (step.sample !== 0) return 'timed';
  return step.forEach?.succeeded != null && asksExecute(step.request) ? 'following' : 'ordinary';
}
