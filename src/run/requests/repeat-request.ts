import type { Exchange } from '../../model/exchange.ts';
import { exchangeKey } from '../../model/exchange-key.ts';
import { isRateLimited, TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { StepTurn } from '../calls/run-state.ts';
import { isUnrecorded } from '../state/request-outcome.ts';
import type { RunInput } from '../state/run-input.ts';
import type { RequestScheduler } from './request-scheduler.ts';

interface Repeated {
  readonly turn: StepTurn;
  readonly instance: PlannedInstance;
  /** Sends it once more, after so many. */
  readonly ask: (count: number) => Promise<Exchange>;
  readonly mayAsk: () => boolean;
}

/** Repeats one request at a time; stops when the target does not answer or its rate limiter refuses. */
export async function repeatRequest(
  repeated: Repeated,
  firsts: readonly Exchange[],
  scheduler: RequestScheduler,
  input: RunInput,
): Promise<readonly Exchange[]> {
  const { turn, instance } = repeated;
  const { times, apartMs, soonerMs } = turn.step.rounds;
  const exchanges = [...firsts];
  const firstMs = input.clock.monotonicMs();
  const sinceMs = (): number => input.clock.monotonicMs() - firstMs;
  const goOn = async (waitMs: number, pause: StepTurn['pause']): Promise<boolean> => {
    const next = await nextOf(repeated, exchanges, { waitMs, pause }, scheduler, input);
    if (next !== null) exchanges.push(next);
    return next !== null;
  };
  const comesSooner = soonerMs !== null && ((await turn.mayComeSooner?.()) ?? true);
  if (comesSooner) {
    if (!(await goOn(soonerMs - sinceMs(), undefined))) return exchanges;
    if (input.repetitionsPass(turn.step, { ...instance, exchanges, timed: null }, turn.form))
      return exchanges;
  }
  const sooner = comesSooner ? 1 : 0;
  while (exchanges.length < times + sooner) {
    const isFirstWait = exchanges.length === firsts.length + sooner;
    if (!(await goOn(isFirstWait ? apartMs - sinceMs() : apartMs, turn.pause))) break;
  }
  return exchanges;
}

/** The next answer; null if there is none to go on with. */
async function nextOf(
  { turn, instance, ask, mayAsk }: Repeated,
  before: readonly Exchange[],
  { waitMs, pause }: { readonly waitMs: number; readonly pause: StepTurn['pause'] },
  scheduler: RequestScheduler,
  { planning, settings }: RunInput,
): Promise<Exchange | null> {
  const { rounds } = turn.step;
  const last = before.at(-1);
  const stopped = last === undefined || last.kind === 'unanswered' || isRateLimited(last);
  if ((stopped && planning !== true) || !mayAsk()) return null;
  const key = exchangeKey(instance.key, before.length);
  if (rounds.apartMs > 0 && !scheduler.wasSent(key)) {
    const waited = scheduler.during('repeated-read', key, () =>
      scheduler.wait(Math.max(0, waitMs), turn.endsAtMs),
    );
    const maySend = (await pause?.(waited)) ?? true;
    await waited;
    if (!maySend) return null;
  }
  const next = await ask(before.length);
  // A saved run that is judged again ends where the original one did: by --bail, or because nothing more was needed.
  const isLeftOut = isUnrecorded(next) && (settings.bail === true || rounds.soonerMs !== null);
  // Nobody would be served: the answers before it are what the step has.
  if (isTooOften(next) || isLeftOut) return null;
  turn.onAnswer?.({ ...instance, exchange: next });
  return next;
}

export function isTooOften(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && exchange.response.status === TOO_MANY_REQUESTS;
}
