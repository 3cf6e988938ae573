import type { JsonAnswer } from '../checks/define-check.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { isGuess } from '../model/call.ts';
import { type Exchange, hadNoConnection } from '../model/exchange.ts';
import type { Finding, Judgement } from '../model/judgement.ts';
import { levelFor, textFor } from '../model/requirement.ts';
import { isHttpRequest, messageMethod, methodAndPlace } from '../model/sent.ts';
import { type Step, usesEveryStep } from '../model/suite.ts';
import type { Era } from '../model/wire.ts';
import { asksExecute, type Operation, operationOf } from '../run/operation.ts';
import {
  type InstanceRun,
  type KnownForm,
  listedNamesIn,
  measurementsIn,
  type RunRecord,
  type StepRun,
  validCallsIn,
} from '../run/record.ts';
import { isIncidental } from '../run/selection.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { eraAsked } from '../wires/mcp/opening.ts';
import { curlLine } from './curl.ts';
import { type JudgeBasis, type JudgeContext, type JudgedAssertion, settledContext } from './judge-context.ts';
import { JudgedExchange } from './judge-exchange.ts';
import { judgeStep } from './judge-step.ts';
import { judgeWithoutExecute, type MissingExecute, missingExecute } from './missing-execute.ts';
import { rateLimitAdvice } from './rate-limit-advice.ts';
import { repeatCommand } from './repeat-command.ts';
import { replacedIn, undecidedIfReplaced } from './replaced-secrets.ts';
import { worst } from './worst.ts';

export interface JudgeRunInput extends JudgeBasis {
  readonly record: RunRecord;
}

/** Judges everything that a run collected. Pure: the same record gives the same judgements. */
export function judgeRun(input: JudgeRunInput): readonly Judgement[] {
  return [...judgeSteps(input)].flatMap((judged) => judged?.judgements ?? []);
}

export interface JudgedStep {
  readonly step: string;
  readonly judgements: readonly Judgement[];
}

/** The same, step by step. Yields null between the assertions of a step, so that the caller can stop there. */
export function* judgeSteps(input: JudgeRunInput): Generator<JudgedStep | null> {
  const decided: DecidedFindings = new Map();
  const { listed, missing } = summaryOf(input.record, input.targetUrl);
  const replaced = input.settings.mcp === undefined ? null : replacedIn(input.record);
  for (const run of input.record.steps) {
    const context = judgeContext(run.step, input, decided);
    const judged: JudgedAssertion[] = [];
    const isUnhandled = missing !== null && run.kind === 'ran' && asksExecute(run.step.request);
    for (const some of isUnhandled
      ? [judgeWithoutExecute(run.step, missing)]
      : judgeStep(run, loneUsedStep(run.step, input.record), context)) {
      for (const one of some) judged.push(one);
      yield null;
    }
    const kept: JudgedAssertion[] = [];
    for (const one of judged) {
      if (isKnownAlready(one, decided, listed)) continue;
      kept.push(one);
      const { assertion, finding, instance } = one;
      const bySubject = decided.get(assertion.requirement) ?? new Map<string | null, Finding[]>();
      decided.set(assertion.requirement, bySubject);
      const subject = subjectOf(instance?.functionName ?? null, listed);
      const known = bySubject.get(subject);
      if (known === undefined) bySubject.set(subject, [finding]);
      else known.push(finding);
    }
    yield {
      step: run.step.id,
      judgements: kept.map((one) =>
        stamp(
          replaced === null ? one : undecidedIfReplaced(one, replaced),
          subjectOf(one.instance?.functionName ?? null, listed),
          run.step,
          context.form,
          input,
        ),
      ),
    };
  }
}

/** By requirement and by subject: a listed function, or null for the server. */
type DecidedFindings = Map<string, Map<string | null, Finding[]>>;

/** Calls of names that are not listed are about the server. */
function subjectOf(functionName: string | null, listed: ReadonlySet<string>): string | null {
  return functionName !== null && listed.has(functionName) ? functionName : null;
}

/** What is judged on the side repeats the failures that other steps showed; once for each function is enough. */
function isKnownAlready(
  { assertion, finding, instance }: JudgedAssertion,
  decided: DecidedFindings,
  listed: ReadonlySet<string>,
): boolean {
  if (finding.outcome !== 'failed' || !isIncidental(assertion)) return false;
  const subject = subjectOf(instance?.functionName ?? null, listed);
  const before = decided.get(assertion.requirement)?.get(subject) ?? [];
  return before.some(
    (one) => one.outcome === 'failed' && one.message === finding.message && one.pointer === finding.pointer,
  );
}

/** For the subject, else for the server. Of other functions, one that passed shows that the server can do it. */
function earlierFinding(
  bySubject: ReadonlyMap<string | null, readonly Finding[]> | undefined,
  subject: string | null,
): Finding | undefined {
  const own = bySubject?.get(subject) ?? bySubject?.get(null);
  if (own !== undefined) return worst(own);
  const others = [...(bySubject?.values() ?? [])].flat();
  return others.find(({ outcome }) => outcome === 'passed') ?? worst(others);
}

/** What judging a step needs besides its exchanges. */
export function judgeContext(step: Step, input: JudgeRunInput, decided: DecidedFindings): JudgeContext {
  const { record, targetUrl } = input;
  const operations = new Set(operationsOf(step, record, targetUrl));
  // No request outside the contract succeeds. If calls succeed, a missing key is not the reason.
  if (operations.has('other')) operations.add('execute');
  const { served, measuredHealth, listedFunctions, listed, silent, advice, eraAsked } = summaryOf(
    record,
    targetUrl,
  );
  return {
    ...settledContext(input),
    form: formOf(step, record),
    opened: record.opened,
    eraAsked,
    exchanges: record.exchanges,
    conversations: record.conversations,
    used: usedAnswers(step, input, decided),
    earlierFinding: (requirement, functionName) =>
      earlierFinding(decided.get(requirement), subjectOf(functionName, listed)),
    servedElsewhere: [...operations].some((operation) => served.has(operation)),
    measuredHealth,
    listedFunctions,
    isSilent: (name) => silent.has(name),
    rateLimitAdvice: advice,
    isRestrained: (name) => record.restrained.some(({ functionName }) => functionName === name),
  };
}

/** Of the last question that the server looked at: where it saw none, the rows of both eras say why. */
function lastEraAsked({ exchanges }: RunRecord): Era | null {
  const last = exchanges.findLast((exchange) => wasSeen(exchange) && eraAsked(exchange) !== null);
  return last === undefined ? null : eraAsked(last);
}

const WANTS_KEY: ReadonlySet<number> = new Set([401, 403]);

function wasSeen(exchange: Exchange): boolean {
  if (hadNoConnection(exchange)) return false;
  return exchange.kind !== 'answered' || !WANTS_KEY.has(exchange.response.status);
}

/** What judging any step needs of the whole record. */
interface RecordSummary extends Pick<JudgeContext, 'measuredHealth' | 'listedFunctions' | 'eraAsked'> {
  /** Operations that succeeded at least once. */
  readonly served: ReadonlySet<Operation>;
  /** `listedFunctions`, to look each judged one up. */
  readonly listed: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
  readonly missing: MissingExecute | null;
  /** What to do about a rate limiter. */
  readonly advice: string;
  readonly targetUrl: string;
}

const summaries = new WeakMap<RunRecord, RecordSummary>();

function summaryOf(record: RunRecord, targetUrl: string): RecordSummary {
  const known = summaries.get(record);
  if (known?.targetUrl === targetUrl) return known;
  const succeeded = record.exchanges.filter(
    (exchange) =>
      exchange.kind === 'heard' || (exchange.kind === 'answered' && exchange.response.status < 300),
  );
  const listedFunctions = listedNamesIn(record);
  const served = new Set(succeeded.map((exchange) => operationOf(exchange, targetUrl)));
  const listed = new Set(listedFunctions);
  const summary: RecordSummary = {
    served,
    // The Model Context Protocol sets no time for a call: that the server answers anything else is enough.
    silent:
      served.has('execute') || (record.opened !== null && served.size > 0)
        ? silentFunctions(record)
        : new Set(),
    measuredHealth: measurementsIn(record).find(({ operation }) => operation === 'health') ?? null,
    listedFunctions,
    listed,
    missing: missingExecute(record, listed, targetUrl),
    advice: rateLimitAdvice(record),
    eraAsked: lastEraAsked(record),
    targetUrl,
  };
  summaries.set(record, summary);
  return summary;
}

/**
 * Functions that answered no guessed input within the time limit. A function may wait for an event, or for a network.
 * An input that the user gave is meant to be answered.
 */
function silentFunctions(record: RunRecord): ReadonlySet<string> {
  const calls = validCallsIn(record);
  const silent = new Set(
    calls
      .filter(({ exchange }) => exchange.kind === 'unanswered' && exchange.reason.code === 'timeout')
      .map(({ call }) => call.functionName),
  );
  for (const { call, exchange } of calls) {
    const isMeant = !isGuess(call.inputSource) && call.inputSource !== 'none-needed';
    if (exchange.kind !== 'unanswered' || isMeant) silent.delete(call.functionName);
  }
  return silent;
}

/** The one step whose answers this step judges as its own. */
function loneUsedStep(step: Step, record: RunRecord): Step | null {
  const { use } = step;
  return use.kind === 'step' ? (record.steps.find((run) => run.step.id === use.id)?.step ?? null) : null;
}

function formOf(step: Step, record: RunRecord): KnownForm {
  const asking = step.request ?? loneUsedStep(step, record)?.request;
  // What is in a form among all answers are the calls.
  return asksExecute(asking) || usesEveryStep(step) ? record.forms.execute : record.forms.capabilities;
}

function operationsOf(step: Step, record: RunRecord, targetUrl: string): readonly Operation[] {
  const run = record.steps.find((candidate) => candidate.step.id === step.id);
  if (run?.kind !== 'ran') return [];
  return run.instances.flatMap(({ exchanges }) =>
    exchanges.map((exchange) => operationOf(exchange, targetUrl)),
  );
}

function usedAnswers(
  step: Step,
  input: JudgeRunInput,
  decided: DecidedFindings,
): Readonly<Record<string, readonly JsonAnswer[]>> {
  const named = step.use.kind === 'named' ? Object.entries(step.use.steps) : [];
  const own =
    step.experiment === null ? undefined : input.record.steps.find((run) => run.step.id === step.id);
  const entries = named.map(([name, used]): [string, readonly JsonAnswer[]] => {
    const runs = input.record.steps.filter((run) =>
      used.kind === 'step' ? run.step.id === used.id : run.step.id !== step.id,
    );
    return [name, runs.flatMap((run) => usableAnswers(run, input, decided))];
  });
  return { ...answersByRole(own, input, decided), ...Object.fromEntries(entries) };
}

/** Of an experiment, the answers of each of its rounds. */
function answersByRole(
  run: StepRun | undefined,
  input: JudgeRunInput,
  decided: DecidedFindings,
): Readonly<Record<string, readonly JsonAnswer[]>> {
  if (run?.kind !== 'ran' || run.step.experiment === null) return {};
  const byRole = groupedBy(run.instances, ({ role = null }) => role);
  return Object.fromEntries(
    [...byRole].flatMap(([role, instances]) =>
      role === null ? [] : [[role, usableAnswers({ ...run, instances }, input, decided)]],
    ),
  );
}

function usableAnswers(run: StepRun, input: JudgeRunInput, decided: DecidedFindings): readonly JsonAnswer[] {
  if (run.kind !== 'ran' || run.step.request === null) return [];
  // `use` does not affect whether answers are usable, and steps that use each other would recurse forever.
  const alone: Step = { ...run.step, use: { kind: 'none' }, experiment: null };
  const context = judgeContext(alone, input, decided);
  return run.instances.flatMap(({ exchanges, call, item }) =>
    exchanges.flatMap((exchange): readonly JsonAnswer[] => {
      if (exchange.kind === 'unanswered') return [];
      if (!new JudgedExchange(run.step, { exchange, call, item }, context).body().met) return [];
      const { value } = jsonBody(exchange);
      return value === undefined ? [] : [{ exchange, value, call }];
    }),
  );
}

function stamp(
  { assertion, instance, exchange, finding }: JudgedAssertion,
  subject: string | null,
  step: Step,
  form: KnownForm,
  { settings, record }: JudgeRunInput,
): Judgement {
  const { requirement, spec, why, fix, where } = assertion;
  // Most judgements pass, and nobody repeats their requests.
  const isRepeated = finding.outcome === 'failed' || finding.outcome === 'undecided';
  return {
    requirement,
    subject,
    level: levelFor(assertion.level, form.form),
    spec,
    why,
    fix: fixOfForm(textFor(fix, settings.mcp === undefined ? 'rest' : 'mcp'), form),
    finding,
    where: {
      suite: where.file,
      line: where.line,
      column: where.column,
      step: step.id,
      ...(instance?.functionName ? { function: instance.functionName } : {}),
      ...(instance?.caseId ? { case: instance.caseId } : {}),
      ...(exchange === null ? {} : { exchange: exchange.request.key }),
    },
    request: exchange === null ? null : requestLine(exchange),
    curl:
      exchange === null || !isRepeated || lacksInput(exchange) || isUnwritten(exchange)
        ? null
        : commandOf(exchange, instance, finding, { record, settings }),
  };
}

/** Without the sentence for the form that the target does not speak. */
function fixOfForm(fix: string, { form }: KnownForm): string {
  const other = { A: /Form B: .*?\. (?=[A-Z])/, B: /Form A: .*?\. (?=[A-Z])/ };
  return form === null || form === 'mcp' ? fix : fix.replace(other[form], '');
}

/** What was asked: a method and an address, or a method of the protocol and its conversation. */
function requestLine({ request }: Exchange): { readonly method: string; readonly url: string } {
  const { method, place } = methodAndPlace(request);
  return { method, url: isHttpRequest(request) ? request.url : place };
}

/** A command that sends the request, after those before it in its sequence or its conversation. */
function commandOf(
  exchange: Exchange,
  instance: InstanceRun | null,
  finding: Finding,
  { record: { exchanges }, settings: { mcp, targetName: name } }: Pick<JudgeRunInput, 'record' | 'settings'>,
): string {
  const keys = new Set('sentBefore' in finding ? finding.sentBefore : []);
  const before = [
    ...(instance?.call?.after ?? []),
    ...exchanges.filter(({ request }) => keys.has(request.key)),
  ].map(({ request }) => request);
  const { message } = exchange.request;
  if (message === undefined || mcp === undefined)
    return [...before, exchange.request].map((one) => ('url' in one ? curlLine(one) : '')).join(' && ');
  // A server that was started again was opened as before.
  const opened = message.conversation.replace(/-again-\d+$/, '');
  const isNeeded = (one: Exchange): boolean =>
    one !== exchange &&
    ((one.request.message?.conversation === opened && placeInOpening(one) < placeInOpening(exchange)) ||
      before.includes(one.request));
  const command = mcp.channel === 'stdio' ? mcp.address : null;
  // A replay sends in another order.
  const needed = exchanges
    .filter(isNeeded)
    .toSorted((one, other) => placeInOpening(one) - placeInOpening(other));
  const isUnasked = 'isUnasked' in finding && finding.isUnasked === true;
  const named = mcp.from === undefined || name === undefined ? undefined : { file: mcp.from, name };
  return repeatCommand(exchange, needed, { command, env: mcp.env ?? [], named }, isUnasked);
}

/** What opens a conversation, in the order in which it is sent. */
const OPENING: readonly unknown[] = ['server/discover', 'initialize', 'notifications/initialized'];

/** Calls of a sequence come after what opened the conversation. */
function placeInOpening(exchange: Exchange): number {
  const place = OPENING.indexOf(messageMethod(exchange.request));
  return place === -1 ? OPENING.length : place;
}

/** A message gets its id, and what its conversation adds, when it is sent. */
function isUnwritten(exchange: Exchange): boolean {
  const isLine = 'line' in exchange.request;
  return isLine && exchange.kind === 'unanswered' && exchange.timing.durationMs === 0;
}

/** The request was not sent because its input is invalid, so it must not be repeated by hand. */
function lacksInput(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.code === 'no-valid-input';
}
