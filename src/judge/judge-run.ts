import type { Exchange } from '../model/exchange.ts';
import type { Finding, Judgement } from '../model/judgement.ts';
import { levelFor, textFor } from '../model/requirement.ts';
import { isHttpRequest, messageMethod, methodAndPlace } from '../model/sent.ts';
import type { Step } from '../model/suite.ts';
import type { InstanceRun, KnownForm } from '../run/state/record.ts';
import { isIncidental } from '../run/steps/selection.ts';
import { asksExecute } from '../run/steps/step-kinds.ts';
import { curlLine } from './curl.ts';
import type { JudgedAssertion } from './judge-context.ts';
import { judgeStep } from './judge-step.ts';
import { judgeWithoutExecute } from './missing-execute.ts';
import { repeatCommand } from './repeat-command.ts';
import { replacedIn, undecidedIfReplaced } from './replaced-secrets.ts';
import { summaryOf } from './run-summary.ts';
import {
  type DecidedFindings,
  type JudgeRunInput,
  judgeContext,
  loneUsedStep,
  subjectOf,
} from './step-context.ts';

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
    const judgements: Judgement[] = [];
    for (const one of judged) {
      const { assertion, finding, instance } = one;
      const named = 'subject' in finding ? finding.subject : undefined;
      const subject = subjectOf(named ?? instance?.functionName ?? null, listed);
      const bySubject = decided.get(assertion.requirement) ?? new Map<string | null, Finding[]>();
      const known = bySubject.get(subject) ?? [];
      if (isKnownAlready(one, known)) continue;
      known.push(finding);
      decided.set(assertion.requirement, bySubject.set(subject, known));
      const told = replaced === null ? one : undecidedIfReplaced(one, replaced);
      judgements.push(stamp(told, subject, run.step, context.form, input));
    }
    yield { step: run.step.id, judgements };
  }
}

/** What is judged on the side repeats the failures that other steps showed; once for each function is enough. */
function isKnownAlready({ assertion, finding }: JudgedAssertion, before: readonly Finding[]): boolean {
  if (finding.outcome !== 'failed' || !isIncidental(assertion)) return false;
  return before.some(
    (one) => one.outcome === 'failed' && one.message === finding.message && one.pointer === finding.pointer,
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
      exchange !== null && isRepeated && wasWritten(exchange)
        ? commandOf(exchange, instance, finding, { record, settings })
        : null,
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

/** What was not sent must not be repeated by hand. */
function wasWritten(exchange: Exchange): boolean {
  if (exchange.kind !== 'unanswered') return true;
  // A message gets its id, and what its conversation adds, when it is sent.
  const isWhole = !('line' in exchange.request) || exchange.timing.durationMs > 0;
  return isWhole && exchange.reason.code !== 'no-valid-input';
}
