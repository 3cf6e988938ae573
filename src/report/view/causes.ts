import { visible } from '../../json/visible.ts';
import { type Exchange, isAnswer, type TransportFailureCode } from '../../model/exchange.ts';
import { areaOf } from '../../model/requirement.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { words } from '../../text/words.ts';
import { type AnswerMeaning, meaningOf } from '../answer-words.ts';
import type { FindingView, RequirementView } from './judgement-view.ts';
import { counted, OUTCOME_WORDS } from './words.ts';

export type CauseView = NonNullable<ReturnType<typeof causeView>>;

/** What an answer means, or why there is none. */
export type AnswerKind = AnswerMeaning | TransportFailureCode;

export function answerKinds(exchanges: readonly Exchange[]): ReadonlyMap<string, AnswerKind> {
  return new Map(
    exchanges.map((exchange) => [
      visible(exchange.request.key),
      isAnswer(exchange) ? meaningOf(exchange) : exchange.reason.code,
    ]),
  );
}

interface Sign {
  readonly requirement: RequirementView;
  /** Null if the requirement has none, such as a blocked one. */
  readonly finding: FindingView | null;
  readonly keys: readonly string[];
}

/**
 * The causes of requirements to fix, the most important first. Every open finding belongs to exactly one cause, and so
 * does every requirement without findings. Findings belong together if they say the same, if they concern the same
 * error answer, or if one blocks the other. Pure.
 */
export function causesOf(
  toFix: readonly RequirementView[],
  answers: ReadonlyMap<string, AnswerKind>,
): readonly CauseView[] {
  const rows = new Map(toFix.map((requirement) => [requirement.id, requirement]));
  const signs = toFix.flatMap((requirement): readonly Sign[] =>
    requirement.findings.length === 0
      ? [{ requirement, finding: null, keys: [keyWithoutFinding(requirement, rows)] }]
      : requirement.findings.map((finding, index) => ({
          requirement,
          finding,
          // What it blocks is explained by its first finding.
          keys: [...keysOf(finding, answers), ...(index === 0 ? [`blocked ${requirement.id}`] : [])],
        })),
  );
  return connected(signs).flatMap((group) => causeView(group) ?? []);
}

function keyWithoutFinding(requirement: RequirementView, rows: ReadonlyMap<string, RequirementView>): string {
  const passed = new Set<string>();
  let root = requirement;
  while (root.state === 'blocked' && root.blockedBy !== undefined && !passed.has(root.id)) {
    passed.add(root.id);
    const cause = rows.get(root.blockedBy);
    if (cause === undefined) return `blocked ${root.blockedBy}`;
    root = cause;
  }
  return root === requirement && root.state !== 'blocked' ? `row ${root.id}` : `blocked ${root.id}`;
}

/** Requirements that one missing check of requests fails together. */
const REFUSALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    parameters: words(
      'errors/missing-required errors/wrong-type robustness/input-not-object inputs/invalid-refused',
    ),
    names: words(
      'errors/unknown-function-rejected errors/prototype-names robustness/function-missing',
      'robustness/function-not-string robustness/long-name',
    ),
    bodies: words(
      'robustness/malformed-json robustness/empty-body robustness/non-object-body robustness/invalid-utf8',
    ),
  }).flatMap(([kind, ids]) => [...ids].map((id) => [id, kind])),
);
/** Their steps send requests that a server must refuse. */
const REFUSING_AREAS: ReadonlySet<string> = new Set(['errors', 'robustness']);

function keysOf(finding: FindingView, answers: ReadonlyMap<string, AnswerKind>): readonly string[] {
  const { id, outcome, fault, where, expected, received } = finding;
  const message = general(finding.message);
  const answer = where.exchange === undefined ? undefined : answers.get(where.exchange);
  const request = REFUSING_AREAS.has(areaOf(where.exchange ?? where.step)) ? 'invalid' : 'valid';
  const unanswered = typeof answer === 'string' ? [`${fault} ${answer} ${request}`] : [];
  if (outcome === 'undecided') return [`undecided ${fault} ${message}`, ...unanswered];
  if (typeof answer === 'string') return unanswered;
  const same = `${id} ${message} ${general(expected)}${where.pointer === undefined ? '' : ` ${kindOf(received)}`}`;
  const isError = answer?.isError ?? false;
  if (where.pointer !== undefined)
    return isError && where.pointer.startsWith('/error')
      ? [`error object ${request}`]
      : [same, `${message} ${where.function ?? ''} ${general(where.pointer)}`];
  const refusal = REFUSALS.get(id);
  if (refusal !== undefined && answer?.isAccepted === true) return [`accepted ${refusal}`];
  // That two invalid requests are accepted does not make them one mistake.
  const isAccepted = request === 'invalid' && received.startsWith('status ');
  if (!isError) return [same, ...(isAccepted ? [] : [`answer ${finding.message}`])];
  const isAnyStatus = request === 'valid' || answer?.isServersError === true;
  return [same, `exchange ${where.exchange}`, ...(isAnyStatus ? [`${answer?.words} ${request}`] : [])];
}

/** Said by the last recorded finding of very many. */
const MORE_LIKE_IT = /; and \d+ more findings like it$/;

/** Without the names and numbers that differ between functions and cases. */
function general(text: string): string {
  return text
    .replace(MORE_LIKE_IT, '')
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\d+/g, '#');
}

/** A number sent as text and a missing number are different mistakes, although both "expected a number". */
function kindOf(received: string): string {
  return (
    /\((string|number|boolean|array|object)\)$/.exec(received)?.[1] ?? (received === 'null' ? received : '')
  );
}

/** What explains one or several requirements to fix: a fix of it probably fixes them all. */
function causeView(group: readonly Sign[]) {
  const [first] = group;
  if (first === undefined) return null;
  const { requirement } = first;
  const findings = group.flatMap((sign) =>
    sign.requirement === requirement && sign.finding !== null ? [sign.finding] : [],
  );
  return {
    // The most important requirement, with only the findings that belong to this cause.
    main: { ...requirement, ...stateOf(requirement, findings), findings },
    sentence: first.finding === null ? requirement.reason : sentenceOf(first.finding),
    place: placeWords(findings),
    also: [...new Set(group.map((sign) => sign.requirement))].filter((other) => other !== requirement),
  };
}

/** Longer values are shown in the complete finding. */
const MAX_VALUE_CHARACTERS = 40;
/** Values that only repeat the message: "status is missing". */
const SAID_BY_MESSAGE = /^(?:status |none: |nothing$|no such header$|an empty body$)/;

function sentenceOf({ outcome, message, expected, received }: FindingView): string {
  if (outcome === 'undecided') return message;
  const value =
    !SAID_BY_MESSAGE.test(received) && received.length <= MAX_VALUE_CHARACTERS ? `: ${received}` : '';
  return `${message}${value}, expected ${expected}`;
}

/** What is only undecided is no failure, although the requirement failed for another cause. */
function stateOf(
  { state, word, outcome }: RequirementView,
  findings: readonly FindingView[],
): Pick<RequirementView, 'state' | 'word'> {
  const isOnlyOpen =
    outcome === 'failed' &&
    findings.length > 0 &&
    findings.every((finding) => finding.outcome === 'undecided');
  return isOnlyOpen ? { state: 'undecided', word: OUTCOME_WORDS.undecided } : { state, word };
}

function placeWords(findings: readonly FindingView[]): string {
  const functions = new Set(findings.flatMap(({ where }) => where.function ?? []));
  const [name] = functions;
  if (name !== undefined)
    return functions.size === 1 ? `function "${name}"` : counted(functions.size, 'function');
  const descriptors = new Set(findings.flatMap(({ where }) => descriptorIn(where.pointer ?? '')));
  if (descriptors.size > 1) {
    const isMore = findings.some(({ message }) => MORE_LIKE_IT.test(message));
    return `${isMore ? 'at least ' : ''}${counted(descriptors.size, 'function')}`;
  }
  const paths = [
    ...new Set(findings.flatMap(({ request }) => (request === null ? [] : pathOf(request.url)))),
  ];
  return paths.length > 3 ? counted(paths.length, 'path') : paths.join(', ');
}

/** A finding about the list of functions names them only by their place in it. */
function descriptorIn(pointer: string): readonly string[] {
  return /^\/(?:functions|result\/tools)\/\d+(?=\/|$)/.exec(pointer) ?? [];
}

/** The last part of a URL, which names the operation. */
export function pathOf(url: string): string {
  return /\/[^/?#]*(?=[?#]|$)/.exec(url)?.[0] ?? '';
}

/** Groups signs that share a key, also through other signs; groups and signs in the given order. Pure. */
function connected(signs: readonly Sign[]): readonly (readonly Sign[])[] {
  const keyed = signs.flatMap(({ keys }, index) => keys.map((key) => ({ key, index })));
  const unread = new Map(groupedBy(keyed, ({ key }) => key));
  const seen = new Set<number>();
  return signs.flatMap((_, start) => {
    if (seen.has(start)) return [];
    // It grows while it is read.
    const group = new Set([start]);
    for (const member of group) {
      seen.add(member);
      for (const key of signs[member]?.keys ?? []) {
        for (const { index } of unread.get(key) ?? []) group.add(index);
        unread.delete(key);
      }
    }
    return [[...group].sort((one, other) => one - other).flatMap((index) => signs[index] ?? [])];
  });
}
