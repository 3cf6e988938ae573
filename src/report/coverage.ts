import { exactBody } from '../checks/json/json-body.ts';
import { isGuess, type PlannedCall } from '../model/call.ts';
import { type Coverage, type NotExercised, neededOf } from '../model/coverage.ts';
import type { Exchange } from '../model/exchange.ts';
import { groupedBy } from '../model/grouped-by.ts';
import { type Json, jsonText, ownProperty, shorten } from '../model/json.ts';
import type { Judgement } from '../model/judgement.ts';
import type { RunSettings } from '../model/report.ts';
import { type InstanceRun, listedNamesIn, ordinaryCallsIn, type RunRecord } from '../run/record.ts';

/**
 * Which of the listed functions gave a result. Null if none is listed, or the run calls none, as with `readOnly`. What the
 * harness itself left out counts as not exercised. Pure.
 */
export function coverageOf(
  record: RunRecord,
  judgements: readonly Judgement[],
  { minCoverage, maxItems }: Pick<RunSettings, 'minCoverage' | 'maxItems'>,
): Coverage | null {
  const callsEach = record.steps.some(
    ({ step: { request, forEach } }) => request?.kind === 'execute' && forEach !== null,
  );
  const names = [...new Set(listedNamesIn(record))];
  if (!callsEach || names.length === 0) return null;
  const never = new Set(
    record.restrained.filter(({ policy }) => policy === 'never').map(({ functionName }) => functionName),
  );
  const instances = groupedBy(ordinaryCallsIn(record), ({ functionName }) => functionName ?? '');
  const wanted = names.filter((name) => !never.has(name));
  const missed = wanted.filter((name) => !(instances.get(name) ?? []).some(gaveResult));
  const bySubject = groupedBy(judgements, ({ subject }) => subject);
  return {
    listed: names.length,
    excluded: names.length - wanted.length,
    exercised: wanted.length - missed.length,
    needed: neededOf(wanted.length, minCoverage),
    notExercised: missed.map((name): NotExercised => {
      const calls = instances.get(name) ?? [];
      return calls.length === 0 && record.omissions.length > 0
        ? {
            function: name,
            why: `only ${maxItems} of ${names.length} functions are called`,
            remedy: `Call all with --max-functions ${names.length}.`,
          }
        : { function: name, ...whyNot(name, calls, bySubject.get(name) ?? []) };
    }),
  };
}

function gaveResult({ call, exchanges }: InstanceRun): boolean {
  return call !== null && exchanges.some((exchange) => resultIn(exchange, call) !== undefined);
}

/** What a successful call returned; undefined if it was not successful. */
export function resultIn(exchange: Exchange, { form }: Pick<PlannedCall, 'form'>): Json | undefined {
  if (exchange.kind !== 'answered' || exchange.response.status !== 200) return undefined;
  return ownProperty(exactBody(exchange), form === 'A' ? 'output' : 'result');
}

const MAX_INPUT_CHARACTERS = 200;

function whyNot(
  name: string,
  calls: readonly InstanceRun[],
  own: readonly Judgement[],
): Omit<NotExercised, 'function'> {
  const ofCalls = new Set(calls.flatMap(({ exchanges }) => exchanges.map(({ request }) => request.key)));
  const open = own.flatMap(({ finding, fix, where }) =>
    (finding.outcome === 'failed' || finding.outcome === 'undecided') && ofCalls.has(where.exchange ?? '')
      ? [{ finding, fix }]
      : [],
  );
  const main = open.find(({ finding }) => finding.outcome === 'failed') ?? open[0];
  if (main === undefined)
    return { why: 'it was not called', remedy: 'Give the check more time with --deadline.' };
  const { finding, fix } = main;
  const guess = calls.find(({ call }) => call !== null && isGuess(call.inputSource))?.call?.input ?? null;
  const isGap = finding.outcome === 'undecided' && finding.because === 'not-exercised';
  const wish = finding.received.startsWith('none')
    ? 'Give calls more time with --timeout, or an input that is answered sooner than the one that was tried'
    : 'Give an input that it accepts, in the place of the one that was tried';
  const remedy =
    isGap && guess !== null && Object.keys(guess).length > 0
      ? `${wish}, in probity.config.yaml: samples: {${JSON.stringify(name)}: [{ input: ${shorten(jsonText(guess), MAX_INPUT_CHARACTERS)} }]}`
      : (finding.advice ?? fix);
  return { why: withReceived(finding), remedy };
}

/** `"mark_paid" refused an input …: status 404, NOT_FOUND: no such invoice`. */
function withReceived({
  message,
  received,
}: {
  readonly message: string;
  readonly received: string;
}): string {
  return received === '' || received.startsWith('none') || message.includes(received)
    ? message
    : `${message}: ${received}`;
}
