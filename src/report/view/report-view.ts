import { shorten } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { type Exchange, isSuccess } from '../../model/exchange.ts';
import { isMeasurement, type ResponseTimes } from '../../model/measurement.ts';
import { type RunSettings, type TestResult, targetKindOf } from '../../model/report.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { unitOf } from '../operations.ts';
import type { NamedResult } from '../target-entry.ts';
import { answersOf, decidingExchanges } from './answers.ts';
import { answerKinds, causesOf } from './causes.ts';
import { clientsViewOf } from './clients-view.ts';
import { budgetsOf } from './figures.ts';
import { type JudgementView, judgementView } from './judgement-view.ts';
import { madeVisible, type VisibleResult, visibleResult } from './visible-result.ts';
import {
  asSentence,
  decisionWords,
  labelOf,
  summaryItems,
  verdictMark,
  verdictWord,
  verdictWords,
} from './words.ts';

// This folder decides what is shown of results: words, figures, groups and order, once for all formats. `judgementView`
// is the part about requirements; differences, trends and indexes of targets have views of their own.

/** With the name that the target's wire has for the operation. */
export type Labelled<T> = T & { readonly label: string };

export type ReportView = VisibleResult & JudgementView & ReturnType<typeof derivedFrom>;
export type NotExercisedView = ReportView['notExercised'][number];

/**
 * A result as all formats show it: every text is visible, and derived values are computed once. A format decides only
 * the appearance; it adds no words or figures. Pure.
 */
export function reportView(given: TestResult): ReportView {
  const result = visibleResult(given);
  const judgement = judgementView(result);
  return { ...result, ...judgement, ...derivedFrom(given, result, judgement) };
}

function derivedFrom(given: TestResult, result: VisibleResult, judgement: JudgementView) {
  const { target, settings, facts, verdict, reachable, bench } = result;
  const failed = judgement.requirements.some(({ state }) => state === 'failed' || state === 'undecided');
  const isPass = verdict === 'pass' && reachable;
  const causes = causesOf(judgement.toFix, answerKinds(given.exchanges));
  return {
    causes,
    answers: answersOf(causes, given),
    wrong: wrongTarget(given),
    evidence: decidingExchanges(given),
    ...timesOf(result),
    budgets: budgetsOf(given),
    clients: clientsViewOf(result, judgement),
    unit: unitOf(result),
    mark: verdictMark(result),
    word: verdictWord(result),
    words: verdictWords(result),
    decision: decisionWords(result),
    counts: summaryItems(result.summary),
    server: [target.name, target.version].filter((part) => part !== undefined).join(' '),
    form: targetKindOf(settings) === 'directory' ? 'directory' : wireWords(target, settings),
    // The heading shows it.
    facts: facts.filter(({ name }) => name !== 'form'),
    notExercised: notExercisedOf(result),
    // If all rows are blocked, accepted or not applicable, a test runner would report a pass although the run is not
    // one. Then formats for test runners add a test case for the verdict.
    needsVerdict: bench === undefined && !isPass && !failed && judgement.problems.length === 0,
  };
}

/** One by one, for formats in which each is a test. */
export function eachNotExercised({ notExercised }: Pick<ReportView, 'notExercised'>) {
  return notExercised.flatMap(({ samples, ...group }) =>
    group.names.map((name, index) => {
      const one = { ...group, samples: samples.slice(index, index + 1) };
      return { name, words: `${asSentence(one.why)} ${remedyWords(one)}` };
    }),
  );
}

/** The remedy with the entries of the configuration, in one line. */
export function remedyWords({ remedy, samples }: Pick<NotExercisedView, 'remedy' | 'samples'>): string {
  return samples.length === 0 ? remedy : `${remedy.replace(/\.$/, '')}: ${samples.join(', ')}`;
}

/** Functions for which it is the same are one group; its samples are none, or one for each function. */
function notExercisedOf({ coverage }: VisibleResult) {
  const missed = (coverage?.notExercised ?? []).map(({ function: name, why, remedy, sample }) => {
    const ownWhy = why.startsWith(`"${name}" `) ? why.slice(name.length + 3) : why;
    return { name, why: ownWhy, remedy, samples: sample === undefined ? [] : [sample] };
  });
  const groups = groupedBy(missed, ({ why, remedy, samples }) =>
    JSON.stringify([why, remedy, samples.length]),
  );
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ why, remedy }) => ({
      names: group.map(({ name }) => name),
      why,
      remedy,
      samples: group.flatMap(({ samples }) => samples),
    })),
  );
}

/** What the target speaks. */
function wireWords({ form, conversation, mcpVersion }: TestResult['target'], { mcp }: RunSettings): string {
  if (mcp === undefined) return formWords(form);
  const channel = mcp.channel === 'http' ? 'HTTP' : 'standard streams';
  return conversation === undefined ? `MCP over ${channel}` : `MCP ${mcpVersion} over ${channel}`;
}

function formWords({ capabilities, execute }: TestResult['target']['form']): string {
  if (capabilities === null) return 'form unknown';
  return capabilities === execute ? `form ${capabilities}` : `forms ${capabilities} and ${execute}`;
}

function timesOf({ responseTimes, settings }: VisibleResult) {
  const labelled = <T extends ResponseTimes>(times: T): Labelled<T> => ({
    ...times,
    label: labelOf({ settings }, times),
  });
  const measured = responseTimes.filter(isMeasurement).map(labelled);
  const known = new Set(measured.map(({ operation }) => operation));
  const single = settings.mcp?.channel === 'stdio' ? 'messages' : 'requests, connecting included';
  return {
    measured,
    measuredTitle: MEASURED_TITLE,
    single: responseTimes
      .filter((times) => times.function === undefined && !known.has(times.operation))
      .map(labelled),
    singleTitle: `Response times in ms of single ${single}, up to ${settings.concurrency} at once`,
  };
}

export const MEASURED_TITLE = 'Response times in ms of timed calls over open connections (95 % intervals)';

/** Why the address is probably wrong, which explains everything else; null if it is not. Pure. */
export function wrongTarget({ reachable, exchanges, findings, settings }: TestResult) {
  const isServer =
    settings.mcp === undefined && settings.directory === undefined && !exchanges.some(isMessage);
  if (!reachable) {
    const [first] = findings;
    if (first === undefined) return null;
    const remedy = isServer ? `${first.fix} ${ADDRESS}` : first.fix;
    return {
      problem: visible(shorten(first.message, MAX_CHARACTERS)),
      remedy: visible(shorten(remedy, MAX_CHARACTERS)),
    };
  }
  if (!isServer) return null;
  const answers = exchanges.flatMap((exchange) => (exchange.kind === 'answered' ? [exchange] : []));
  const reads = answers.filter(({ request }) => PATHS.some((path) => request.url.endsWith(path)));
  if (reads.length === 0) return null;
  // A part of the requirements (`only`) may need only one of the two.
  const paths = PATHS.filter((path) => reads.some(({ request }) => request.url.endsWith(path)));
  const asked = paths.map((path) => `GET ${path}`).join(' and ');
  const statuses = [...new Set(reads.map(({ response }) => response.status))];
  // Servers of JSON-RPC answer errors with status 200, too.
  const isJsonRpc = statuses.some((status) => isSuccess(status))
    ? reads.every(speaksJsonRpc)
    : answers.some(speaksJsonRpc);
  if (isJsonRpc)
    return {
      problem: `it speaks JSON-RPC, and answers ${asked} with ${listOf(statuses)}`,
      remedy: 'It is probably a server of the Model Context Protocol: check it with --mcp URL.',
    };
  if (!statuses.every((status) => MISSING.has(status))) return null;
  return {
    problem: `${asked} ${paths.length === 1 ? 'is' : 'are'} answered with ${listOf(statuses)}`,
    remedy: `${BASE_ADDRESS} A server of the Model Context Protocol is checked with --mcp URL.`,
  };
}

const PATHS = ['/health', '/capabilities'] as const;
const MAX_CHARACTERS = 400;
const BASE_ADDRESS = 'Check the base address: /health, /capabilities and /execute are added to it.';
/** Nothing answered, so nothing shows what kind of server was meant. */
const ADDRESS =
  'Check the address: a server with /health, /capabilities and /execute is given by its base address, one of the Model Context Protocol by its endpoint, such as https://example.com/mcp.';
const MISSING: ReadonlySet<number> = new Set([404, 405, 406, 410, 501]);

function speaksJsonRpc(exchange: Extract<Exchange, { kind: 'answered' }>): boolean {
  const { body } = exchange.response;
  return 'text' in body && /"jsonrpc"\s*:\s*"2\.0"/.test(body.text.slice(0, MAX_CHARACTERS));
}

function listOf(statuses: readonly number[]): string {
  return `${statuses.length === 1 ? 'status' : 'the statuses'} ${statuses.join(' and ')}`;
}

/** Of one of several targets, whose name formats show beside it. */
export function namedView({ name, result }: NamedResult) {
  return { name: madeVisible(name), view: reportView(result) };
}
