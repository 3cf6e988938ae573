import { isDescribedError } from '../../checks/errors/error-answer.ts';
import { isServed, statusOf } from '../../checks/json/answers.ts';
import { type Exchange, isAnswer, urlOf } from '../../model/exchange.ts';
import { answeredRounds, followUpKey } from '../../model/exchange-key.ts';
import type { Measurement } from '../../model/measurement.ts';
import { isRateLimited, TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import { requestFor, sentBy } from '../requests/instance-request.ts';
import { type Answered, usable } from '../state/learned.ts';
import { type InstanceRun, instancesOf, type Timed } from '../state/record.ts';
import { failedBy } from '../state/request-outcome.ts';
import { operationOf } from '../steps/operation.ts';
import { defineExperiment } from './define-experiment.ts';
import type { Laboratory } from './laboratory.ts';
import { type Among, planSample, wantedCalls } from './plan-sample.ts';

const MIN_ERROR_STATUS = 400;
const MIN_FAULT_STATUS = 500;
/** Several, because a single call may succeed or fail by chance. */
const CALLS_AFTERWARDS = 3;
/** Maximum number of earlier calls from which the usual duration is estimated. */
const MAX_LOOKED_AT = 10;

/** Asks each thing once, and times it through the load engine if the answer is as expected; one after the other. */
export const timedCalls = defineExperiment(
  'timed-calls',
  'the request many times at a constant rate, after one that was answered as expected, alone, before the negative steps; as many as the settings say, or `{ timed-calls: 20 }`',
  async (lab) => {
    const runs: InstanceRun[] = [];
    const all = lab.instances.length;
    for (const [index, planned] of lab.instances.entries()) {
      const run = await time(lab, planned, { all, left: all - index }, runs);
      if (run !== null) runs.push(run);
    }
    lab.onFirst(runs);
    return runs;
  },
  (step) => step,
);

function callsOf({ turn }: Laboratory): number | 'default' {
  return turn.step.experiment?.calls ?? 'default';
}

/** Null if nothing may be called any more. */
async function time(
  lab: Laboratory,
  planned: PlannedInstance,
  among: Among,
  before: readonly InstanceRun[],
): Promise<InstanceRun | null> {
  const { runner, turn, input } = lab;
  if (isRefused(lab, before)) {
    const isCall = planned.call !== null;
    const plannedCalls = wantedCalls({ calls: callsOf(lab), settings: input.settings, isCall, among });
    const timed: Timed = { kind: 'not-measured', because: 'rate-limited', plannedCalls };
    return { ...planned, exchanges: [], timed };
  }
  const answered = await runner.answer(turn, planned);
  if (answered === null) return null;
  // If the time was over before the last items, the report says so once; the items are not judged.
  if (among.left < among.all && answered.exchanges.every((exchange) => failedBy(exchange, 'deadline')))
    return { ...answered, exchanges: [], timed: { kind: 'not-measured', because: 'no-time' } };
  return { ...answered, timed: await timeAnswered(lab, answered, planned, among) };
}

/** The target limited the rate of the last request, or of timed calls: nothing more is timed. */
function isRefused(lab: Laboratory, before: readonly InstanceRun[]): boolean {
  const last = lab.runner.scheduler.exchanges().at(-1);
  if (last !== undefined && isRateLimited(last)) return true;
  const earlier = [...lab.state().ended.values()].flatMap(instancesOf);
  return [...earlier, ...before].some(
    ({ timed }) => timed?.kind === 'measured' && wasRateLimited(timed.measurement),
  );
}

/** Times a request that was answered as expected. */
async function timeAnswered(
  lab: Laboratory,
  instance: Answered,
  planned: PlannedInstance,
  among: Among,
): Promise<Timed> {
  const { turn, runner, input } = lab;
  const [ordinary] = instance.exchanges;
  if (ordinary === undefined) return { kind: 'not-measured', because: 'unanswered' };
  if (input.planning !== true) {
    const isUsable = usable(turn.step, instance, turn.form, input.judgeExchange).met;
    if (!isUsable || ordinary.kind === 'unanswered') return { kind: 'not-measured', because: 'unanswered' };
    // Timed calls are not sent again with answers.
    if (answeredRounds(ordinary.request.key) > 0) return { kind: 'not-measured', because: 'asks-input' };
    if (isMessage(ordinary) ? !isServed(ordinary) : (statusOf(ordinary) ?? 0) >= MIN_ERROR_STATUS)
      return { kind: 'not-measured', because: 'refused' };
  }
  const measurement = await measure(lab, instance, planned, ordinary, among);
  if (measurement === null) return { kind: 'not-measured', because: 'no-time' };
  // Its headers say for how long; the load engine keeps none.
  if (wasRateLimited(measurement)) {
    const after = { ...planned, key: followUpKey(planned.key, 'after') };
    await runner.scheduler.send({ ...requestFor(turn, after, 0, input), sentOnce: true }, null);
  }
  const refusedAfterwards = instance.call !== null && (await refusesNow(lab, planned, measurement));
  return { kind: 'measured', measurement, ...(refusedAfterwards ? { refusedAfterwards } : {}) };
}

async function measure(
  lab: Laboratory,
  instance: Answered,
  planned: PlannedInstance,
  ordinary: Exchange,
  among: Among,
): Promise<Measurement | null> {
  const { turn, runner, input } = lab;
  const { settings, targetUrl, clock, sampler } = input;
  await sampler.warmUp?.();
  await turn.lock?.acquire('exclusive');
  const { endsAtMs } = turn;
  const remainingMs = endsAtMs - clock.monotonicMs();
  const plan = planSample({
    calls: callsOf(lab),
    settings,
    targetUrl,
    isCall: instance.call !== null,
    among,
    ordinaryMs: ordinaryMs(lab, ordinary),
    remainingMs,
  });
  if (plan === null) return null;
  if (plan.isPaced) await runner.scheduler.reserve(plan.calls, plan.ratePerSecond, endsAtMs);
  const sampling = {
    key: instance.key,
    operation: operationOf(ordinary, targetUrl),
    functionName: instance.call?.functionName ?? null,
    request: sentBy(planned, input),
    calls: plan.calls,
    ratePerSecond: plan.ratePerSecond,
    connections: 1,
    timeoutMs: settings.requestTimeoutMs,
    withinMs: remainingMs,
    repeatWithinMs: plan.repeatWithinMs,
    seed: settings.seed,
  };
  return runner.scheduler.during('timed-calls', instance.key, () =>
    sampler.measure(sampling, () => turn.lock?.release()),
  );
}

/** Whether a function whose timed calls failed also refuses further calls: its supply may be used up. */
async function refusesNow(
  lab: Laboratory,
  planned: PlannedInstance,
  { errorKinds }: Measurement,
): Promise<boolean> {
  if (!errorKinds.some(({ status = 0 }) => status >= MIN_FAULT_STATUS)) return false;
  const { turn, runner, input } = lab;
  const plainly = { ...planned, key: followUpKey(planned.key, 'after') };
  for (let copy = 0; copy < CALLS_AFTERWARDS; copy += 1) {
    const exchange = await runner.scheduler.send(requestFor(turn, plainly, copy, input), null);
    if (exchange.kind === 'unanswered' || !isDescribedError(exchange)) return false;
  }
  return true;
}

/**
 * The usual duration of such a call: the median of the last few answered ones, because a single one is not reliable; but
 * not more than that of the call just before, because earlier ones were the first of the check, or had others beside them.
 */
function ordinaryMs(lab: Laboratory, like: Exchange): number {
  // Calls of other functions may take a different time.
  const reads = isRead(like) ? lab.runner.scheduler.exchanges().filter((one) => isSameRead(one, like)) : [];
  const durationsMs = [like, ...reads.slice(-MAX_LOOKED_AT)]
    .map(({ timing }) => timing.durationMs)
    .sort((left, right) => left - right);
  const medianMs = durationsMs[durationsMs.length >> 1] ?? like.timing.durationMs;
  return Math.min(like.timing.durationMs, medianMs);
}

function wasRateLimited({ errorKinds }: Measurement): boolean {
  return errorKinds.some(({ status }) => status === TOO_MANY_REQUESTS);
}

/** A read of an address, or of the list of tools. */
function isRead({ request }: Exchange): boolean {
  return 'method' in request && request.method === 'GET';
}

function isSameRead(one: Exchange, like: Exchange): boolean {
  return isAnswer(one) && isRead(one) && urlOf(one) === urlOf(like);
}
