import { isJsonObject, type JsonObject, ownProperty } from '../../json/json.ts';
import { isExplored, isInvalid } from '../../model/call.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { type Asked, type CheckFinding, type CommonContext, defineCheck } from '../define-check.ts';
import { requestIdEchoed } from '../errors/error-bodies.ts';
import { jsonBody } from '../json/json-body.ts';
import { judgeNodes } from '../json/nodes.ts';
import { jsonContentType, jsonObject } from '../transport/answers.ts';
import { outputsDeclared, resultKeysDeclared, resultMatchesReturns } from './declared-results.ts';

/** Coarse timers, rounding up and two clocks that drift apart may each add a little. */
const SLACK_MS = 5;
const SLACK_SHARE = 0.1;

export const executionTimePlausible = defineCheck(
  'json',
  'execution-time-plausible',
  'form B: executionTime is no longer than the call took as seen from outside',
  ({ value, exchange }) => {
    const executionTime = ownProperty(value, 'executionTime');
    if (typeof executionTime !== 'number') return inapplicable('there is no executionTime');
    const { durationMs } = exchange.timing;
    if (executionTime <= durationMs + Math.max(SLACK_MS, durationMs * SLACK_SHARE)) return passed;
    return failed({
      message: 'executionTime is longer than the whole call took',
      expected: `at most ${durationMs.toFixed(1)} ms, the call as seen from outside`,
      received: `${executionTime}`,
      pointer: '/executionTime',
    });
  },
);

const OF_ANSWERS = [jsonContentType, jsonObject];
const OF_OBJECTS = [
  outputsDeclared,
  resultMatchesReturns,
  resultKeysDeclared,
  requestIdEchoed,
  executionTimePlausible,
];
const NAMES = [...OF_ANSWERS, ...OF_OBJECTS].map(({ name }) => name);
/** Of generated inputs, rows of their own decide these. */
const ELSEWHERE_OF_EXPLORED: ReadonlySet<unknown> = new Set([jsonObject.name, resultMatchesReturns.name]);

const OK = 200;
/** More findings of one kind about one function say no more. */
const MAX_OF_FUNCTION = 5;

/**
 * Judges successful answers only: what else may come, such as a refusal or no answer, other assertions judge. What
 * cannot be judged the first answer of the function has shown already.
 */
export const furtherAnswers = defineCheck(
  'step',
  'further-answers',
  'each successful answer to a valid call passes another check or matches a schema, as the first answer of its function',
  ({ asked, ...common }) => {
    const judged = asked.flatMap((one) => judgeAnswer(one, common).map((finding) => ({ ...one, finding })));
    const failures = judged.flatMap(({ finding, call, exchange }) =>
      finding.outcome === 'failed'
        ? [{ of: call?.functionName, finding: { ...finding, exchangeKey: exchange.request.key } }]
        : [],
    );
    if (failures.length > 0) return mostTelling(failures);
    return judged.some(({ finding }) => finding.outcome === 'passed')
      ? passed
      : inapplicable('no answer has anything to judge');
  },
  {
    breaksAlone: true,
    options: {
      by: { doc: `The check: ${NAMES.join(', ')}.`, required: false },
      is: { doc: 'The JSON Schema of the answer, instead of a check.', required: false, schema: true },
    },
    isIncidental: () => true,
  },
);

function judgeAnswer(one: Asked, common: CommonContext): readonly CheckFinding[] {
  const { exchange, call, item } = one;
  const { by, is } = common.options;
  if (call === null || exchange.kind !== 'answered' || exchange.response.status !== OK) return [];
  // Another form, and a function that is not listed, are the subject of other requirements.
  if (call.form !== common.form || ownProperty(item, 'name') !== call.functionName) return [];
  if (isInvalid(call.inputSource) || (isExplored(call.inputSource) && ELSEWHERE_OF_EXPLORED.has(by)))
    return [];
  const { value } = jsonBody(exchange);
  const context = { ...common, ...one, exchange, value: value ?? null };
  const ofAnswer = OF_ANSWERS.find(({ name }) => name === by);
  if (ofAnswer !== undefined) return [ofAnswer.judge(context)].flat();
  if (!isJsonObject(value)) return [];
  if (is !== undefined)
    return [judgeNodes([{ pointer: '', value }], '$', { kind: 'is', schema: is }, common.schemas)].flat();
  const check = OF_OBJECTS.find(({ name }) => name === by);
  if (check === undefined) return [];
  const judge = (other: typeof check): readonly CheckFinding[] => [other.judge(context)].flat();
  return isReportedBefore(check, value, judge) ? [] : judge(check);
}

/** Whether another row reports that what the check judges is missing or invalid. */
function isReportedBefore(
  check: (typeof OF_OBJECTS)[number],
  value: JsonObject,
  judge: (other: typeof check) => readonly CheckFinding[],
): boolean {
  if (check === resultMatchesReturns) return !isJsonObject(ownProperty(value, 'result'));
  if (check === executionTimePlausible) return !Number.isInteger(ownProperty(value, 'executionTime'));
  return (
    check === resultKeysDeclared && judge(resultMatchesReturns).some(({ outcome }) => outcome === 'failed')
  );
}

interface Failure {
  readonly of: string | undefined;
  readonly finding: Extract<Finding, { outcome: 'failed' }>;
}

/** The different findings about each function, up to a few. */
function mostTelling(failures: readonly Failure[]): readonly Finding[] {
  return [...groupedBy(failures, ({ of }) => of).values()].flatMap((ofFunction) => {
    const different = groupedBy(ofFunction, ({ finding }) => `${finding.message} ${finding.pointer}`);
    return [...different.values()].slice(0, MAX_OF_FUNCTION).flatMap(([first]) => first?.finding ?? []);
  });
}
