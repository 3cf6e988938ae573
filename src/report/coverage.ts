import { exactBody } from '../checks/json/json-body.ts';
import { BAILED_ADVICE } from '../checks/transport-advice.ts';
import { type Json, type JsonObject, jsonText, ownProperty } from '../json/json.ts';
import { type ConfiguredSample, type InputSource, isGuess, type PlannedCall } from '../model/call.ts';
import { type Answer, type Exchange, isAnswer } from '../model/exchange.ts';
import {
  type Coverage,
  type Evidence,
  type Finding,
  type Judgement,
  type NotExercised,
  neededOf,
} from '../model/judgement.ts';
import type { RunSettings } from '../model/report.ts';
import { callIn } from '../model/sent.ts';
import { type InstanceRun, listedNamesIn, ordinaryCallsIn, type RunRecord } from '../run/state/record.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { isMessage, returnedIn, toolOutcome } from '../wires/mcp/answer.ts';
import { notGranted } from '../wires/mcp/client-answers.ts';

/**
 * Which of the listed functions gave a result. Null if none is listed, or the run calls none, as with `readOnly`. What the
 * harness itself left out counts as not exercised. Pure.
 */
export function coverageOf(
  record: RunRecord,
  judgements: readonly Judgement[],
  { minCoverage, maxItems, samples }: Pick<RunSettings, 'minCoverage' | 'maxItems' | 'samples'>,
): Coverage | null {
  const callsEach = record.steps.some(
    ({ step: { request, rounds } }) => request?.kind === 'execute' && rounds.forEach !== null,
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
      const given = Object.hasOwn(samples, name) ? (samples[name] ?? []) : [];
      return calls.length === 0 && record.omissions.length > 0
        ? {
            function: name,
            why: `only ${maxItems} of ${names.length} functions are called`,
            remedy: `Call all with --max-functions ${names.length}.`,
          }
        : { function: name, ...whyNot(name, calls, bySubject.get(name) ?? [], given, record) };
    }),
  };
}

function gaveResult({ call, exchanges }: InstanceRun): boolean {
  return call !== null && exchanges.some((exchange) => resultIn(exchange, call) !== undefined);
}

/** What a successful call returned; undefined if it was not successful. */
export function resultIn(exchange: Exchange, { form }: Pick<PlannedCall, 'form'>): Json | undefined {
  if (!isAnswer(exchange)) return undefined;
  if (isMessage(exchange)) return resultOfMessage(exchange);
  if (exchange.kind !== 'answered' || exchange.response.status !== 200) return undefined;
  return ownProperty(exactBody(exchange), form === 'A' ? 'output' : 'result');
}

/** What a tool returned; undefined if it refused the call. */
export function resultOfMessage(answer: Answer): Json | undefined {
  return toolOutcome(answer).kind === 'result' ? returnedIn(exactBody(answer)) : undefined;
}

/** A longer sample is not printed: cut, it would be no YAML. */
const MAX_SAMPLE_CHARACTERS = 300;
/** Calls that are meant to fail do not show why no other succeeded. */
const MEANT_TO_FAIL: ReadonlySet<InputSource> = new Set(['failing', 'made-wrong', 'explored-invalid']);

function whyNot(
  name: string,
  all: readonly InstanceRun[],
  own: readonly Judgement[],
  samples: readonly ConfiguredSample[],
  record: Pick<RunRecord, 'exchanges' | 'opened' | 'hasBailed'>,
): Omit<NotExercised, 'function'> {
  const calls = all.filter(({ call }) => call === null || !MEANT_TO_FAIL.has(call.inputSource));
  const sent = calls.flatMap(({ exchanges }) => exchanges);
  const ofCalls = new Set(sent.map(({ request }) => request.key));
  const open = own.flatMap(({ finding, fix, where }) =>
    (finding.outcome === 'failed' || finding.outcome === 'undecided') && ofCalls.has(where.exchange ?? '')
      ? [{ finding, fix }]
      : [],
  );
  // How a tool refuses a call is another matter than what it needs.
  const isTool = sent.some(isMessage);
  const gap = isTool ? open.find(({ finding }) => isNotExercised(finding)) : undefined;
  const main = gap ?? open.find(({ finding }) => finding.outcome === 'failed') ?? open[0];
  if (main === undefined)
    return {
      why: 'it was not called',
      remedy: record.hasBailed ? BAILED_ADVICE : 'Give the check more time with --deadline.',
    };
  const { finding, fix } = main;
  const variable =
    isTool && record.opened?.channel === 'stdio' ? VARIABLE.exec(finding.received)?.[0] : undefined;
  const why = withReceived(finding);
  const isGap = isNotExercised(finding);
  const isUnsent = finding.received === 'none: no-valid-input';
  if (isGap && samples.length > 0 && samples.every(({ fails }) => fails))
    return {
      why: `${why.replace(/\.$/, '')}; ${samples.length === 1 ? 'its only sample is one that fails' : 'all its samples are ones that fail'}`,
      remedy: `Add a sample that works under samples: ${JSON.stringify(name)} in probity.config.yaml, or exclude the function under mutating: never.`,
    };
  if (isGap && variable !== undefined)
    return { why, remedy: `If the command reads the variable ${variable}, pass it with --env ${variable}.` };
  const wantsInput = sent.some((exchange) => asksForInput(exchange) || notGranted(exchange).length > 0);
  const guessed = calls.find(({ call }) => call !== null && isGuess(call.inputSource))?.call?.input ?? null;
  const guess = guessed ?? (isTool ? filledInputOf(name, all, record) : null);
  if (!isGap || isUnsent || wantsInput || guess === null || Object.keys(guess).length === 0)
    return { why, remedy: finding.advice ?? fix };
  const wish = finding.received.startsWith('none')
    ? 'Give calls more time with --timeout, or an input that is answered sooner than the one that was tried'
    : 'Give an input that it accepts, in the place of the one that was tried';
  const sample = `${JSON.stringify(name)}: [{ input: ${jsonText(guess)} }]`;
  return sample.length > MAX_SAMPLE_CHARACTERS
    ? { why, remedy: `${wish}, in probity.config.yaml under samples: ${JSON.stringify(name)}.` }
    : { why, remedy: `${wish}, in probity.config.yaml under samples.`, sample };
}

/** What a server says that it lacks, such as ACCOUNT_API_KEY. */
const VARIABLE = /\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_(?:DIR|HOST|ID|KEY|PASSWORD|PATH|SECRET|TOKEN|URL|USER)\b/;

function asksForInput(exchange: Exchange): boolean {
  return isAnswer(exchange) && isMessage(exchange) && toolOutcome(exchange).kind === 'wants-input';
}

/** A tool that refuses the call without input is called again with its optional parameters. */
function filledInputOf(
  name: string,
  all: readonly InstanceRun[],
  { exchanges }: Pick<RunRecord, 'exchanges'>,
): JsonObject | null {
  const meantToFail = new Set(
    all
      .filter(({ call }) => call !== null && MEANT_TO_FAIL.has(call.inputSource))
      .flatMap((run) => run.exchanges.map(({ request }) => request.key)),
  );
  const inputs = exchanges
    .filter(({ request }) => !meantToFail.has(request.key))
    .map(({ request }) => callIn(request))
    .filter((call) => call?.functionName === name);
  return inputs.findLast((call) => Object.keys(call?.input ?? {}).length > 0)?.input ?? null;
}

function isNotExercised(finding: Finding): boolean {
  return finding.outcome === 'undecided' && finding.because === 'not-exercised';
}

/** `"mark_paid" refused an input …: status 404, NOT_FOUND: no such invoice`. */
function withReceived({ message, received }: Pick<Evidence, 'message' | 'received'>): string {
  if (/^the status is \d+$/.test(message)) return `it was answered with ${received}`;
  return received === '' || received.startsWith('none') || message.includes(received)
    ? message
    : `${message}: ${received}`;
}
