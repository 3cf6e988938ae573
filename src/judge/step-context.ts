import type { JsonAnswer } from '../checks/define-check.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import type { Finding } from '../model/judgement.ts';
import { type Step, usesEveryStep } from '../model/suite.ts';
import type { KnownForm, RunRecord, StepRun } from '../run/state/record.ts';
import { type Operation, operationOf } from '../run/steps/operation.ts';
import { asksExecute } from '../run/steps/step-kinds.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { type JudgeBasis, type JudgeContext, settledContext } from './judge-context.ts';
import { JudgedExchange } from './judge-exchange.ts';
import { summaryOf } from './run-summary.ts';
import { worst } from './worst.ts';

export interface JudgeRunInput extends JudgeBasis {
  readonly record: RunRecord;
}

/** By requirement and by subject: a listed function, or null for the server. */
export type DecidedFindings = Map<string, Map<string | null, Finding[]>>;

/** Calls of names that are not listed are about the server. */
export function subjectOf(functionName: string | null, listed: ReadonlySet<string>): string | null {
  return functionName !== null && listed.has(functionName) ? functionName : null;
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

/** The one step whose answers this step judges as its own. */
export function loneUsedStep(step: Step, record: RunRecord): Step | null {
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
