import { type Exchange, headerValue } from '../model/exchange.ts';
import { isRetry, stepIn } from '../model/exchange-key.ts';
import { isRateLimited } from '../model/rate-limit.ts';
import { measurementsIn, type RunRecord, type Timed } from '../run/state/record.ts';
import { isTimed } from '../run/steps/step-kinds.ts';

/** What to do about the target's rate limiter, with the numbers of the run. Pure. */
export function rateLimitAdvice(record: RunRecord): string {
  const { steps, exchanges } = record;
  const timed = steps.flatMap((run) => (run.kind === 'ran' && isTimed(run.step) ? [run] : []));
  const timedIds = new Set(timed.map(({ step }) => step.id));
  const untimed = exchanges.filter(
    ({ request: { key } }) => !timedIds.has(stepIn(key)) && !isRetry(key),
  ).length;
  const timedCalls = timed
    .flatMap(({ instances }) => instances)
    .reduce((sum, { timed: of }) => sum + plannedCallsOf(of), 0);
  const served =
    exchanges.filter((exchange) => exchange.kind === 'answered' && !isRateLimited(exchange)).length +
    measurementsIn(record).reduce((sum, { count, errors }) => sum + count - errors, 0);
  const [limited] = exchanges.filter(isRateLimited);
  const limit = exchanges.map(limitIn).find((one) => one !== null) ?? null;
  const allowed = limit === null ? `answered ${served} before it refused` : `allows ${limit}`;
  const wait = limited === undefined ? undefined : fieldIn(limited, 'retry-after');
  const retry = wait === undefined ? '' : ` (Retry-After: ${wait})`;
  const less = timedCalls === 0 ? '' : ` \`--no-latency\` needs ${untimed}.`;
  return `The check needs about ${untimed + timedCalls} requests, and the target ${allowed}${retry}.${less} Otherwise allow it more requests, lower its rate with --max-rate, or increase --deadline.`;
}

/** A request that is timed is sent once before. */
function plannedCallsOf(timed: Timed | null): number {
  if (timed?.kind === 'measured') return timed.measurement.load.planned + 1;
  return timed?.because === 'rate-limited' ? timed.plannedCalls + 1 : 0;
}

function fieldIn(exchange: Exchange, name: string): string | undefined {
  return exchange.kind === 'answered' ? headerValue(exchange.response.headers, name) : undefined;
}

/** The limit that an answer names: RateLimit-Limit, with or without X-, or RateLimit with `limit=` or `q=`. */
function limitIn(exchange: Exchange): string | null {
  const named = fieldIn(exchange, 'ratelimit-limit') ?? fieldIn(exchange, 'x-ratelimit-limit');
  const policy = `${fieldIn(exchange, 'ratelimit') ?? ''} ${fieldIn(exchange, 'ratelimit-policy') ?? ''}`;
  return /^\d{1,9}/.exec(named ?? '')?.[0] ?? /\b(?:limit|q)=(\d{1,9})/.exec(policy)?.[1] ?? null;
}
