import { leavesOf } from '../checks/execute/answer-essence.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { doubleOf } from '../json/exact-number.ts';
import { type Json, type JsonObject, jsonPathOf, ownProperty, pointerSteps, sameJson } from '../json/json.ts';
import { liveFreeJson } from '../json/visible.ts';
import type { CallToRepeat, TakenValue } from '../model/call.ts';
import { type Exchange, isAnswer, isSuccess } from '../model/exchange.ts';
import { sequenceOf } from '../model/exchange-key.ts';
import type { TestResult } from '../model/report.ts';
import { callIn } from '../model/sent.ts';
import { identifies } from '../text/words.ts';
import { isMessage } from '../wires/mcp/answer.ts';
import { resultOfMessage } from './coverage.ts';

export interface FaultyInput extends CallToRepeat {
  readonly requirement: string;
  readonly message: string;
  /** The calls before it; none if it shows the fault alone. */
  readonly after: readonly CallToRepeat[];
}

/** The inputs of the failed findings about generated inputs. Pure. */
export function faultyInputs({ findings, exchanges }: TestResult): readonly FaultyInput[] {
  return findings.flatMap((finding): readonly FaultyInput[] => {
    const { outcome, id, where, message } = finding;
    if (outcome !== 'failed' || !id.startsWith('inputs/') || where.exchange === undefined) return [];
    const keys = exchanges.map(({ request }) => request.key);
    const sent = sequenceOf(where.exchange, keys).map((key) => exchanges[keys.indexOf(key)]);
    const calls = repeatable(sent.filter((exchange) => exchange !== undefined));
    const last = calls?.at(-1);
    if (calls === null || last === undefined) return [];
    return [{ ...last, requirement: id, message, after: calls.slice(0, -1) }];
  });
}

/** The calls, with what each takes from the results before it; null if a body was shortened. */
function repeatable(exchanges: readonly Exchange[]): readonly CallToRepeat[] | null {
  const calls: CallToRepeat[] = [];
  for (const [index, { request }] of exchanges.entries()) {
    const call = callIn(request);
    if (call?.input == null) return null;
    const { functionName, input } = call;
    calls.push({ function: functionName, input, from: takenBy(input, exchanges.slice(0, index)) });
  }
  return calls;
}

function takenBy(input: JsonObject, before: readonly Exchange[]): Readonly<Record<string, TakenValue>> {
  const results = before.map(returnedBy);
  const taken = Object.entries(input).flatMap(([parameter, given]) => {
    const value = doubleOf(given) ?? given;
    if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return [];
    for (const [index, result] of results.entries()) {
      const leaf = leavesOf(result ?? null).find(
        (one) => sameJson(one.value, value) && mayIdentify(one.pointer, parameter, value),
      );
      if (leaf !== undefined && !isSent(value, before[index]))
        return [[parameter, { call: index + 1, at: leaf.pointer }] as const];
    }
    return [];
  });
  return Object.fromEntries(taken);
}

function returnedBy(exchange: Exchange): Json | undefined {
  if (!isAnswer(exchange)) return undefined;
  if (isMessage(exchange)) return resultOfMessage(exchange);
  const isServed = exchange.kind === 'answered' && isSuccess(exchange.response.status);
  return isServed ? ownProperty(jsonBody(exchange).value, 'result') : undefined;
}

/** A small number is often equal to another one by chance. */
function mayIdentify(pointer: string, parameter: string, value: string | number): boolean {
  return typeof value === 'string' || identifies(parameter) || identifies(pointerSteps(pointer).at(-1) ?? '');
}

/** What the caller chose is repeated as it is. */
function isSent(value: Json, exchange: Exchange | undefined): boolean {
  const input = exchange === undefined ? null : (callIn(exchange.request)?.input ?? null);
  return leavesOf(input).some((one) => sameJson(one.value, value));
}

/** What the suite language would replace. */
const REFERENCE = '${';

const NO_SERVER_ERROR = (own: string) => `status: { not: 5xx, ${own} }`;

/** What the suite expects, by requirement. The others need several calls at once, which a suite does not repeat. */
const EXPECTED: ReadonlyMap<string, (own: string, result: string) => string> = new Map([
  ['inputs/valid-answered', NO_SERVER_ERROR],
  ['inputs/invalid-refused', (own: string) => `status: { not: 200, ${own} }`],
  ['inputs/result-matches-returns', (own: string) => `checks: [{ check: result-matches-returns, ${own} }]`],
  [
    'inputs/sequences-answered',
    (own: string, result: string) =>
      `${NO_SERVER_ERROR(own)}, checks: [{ check: result-matches-returns, ${result} }]`,
  ],
]);

/** A suite that repeats the calls, as a user can keep it; null if it has none. Pure. */
export function suiteOf(found: readonly FaultyInput[]): string | null {
  const expressible = found.filter(
    ({ requirement, input, after, message }) =>
      EXPECTED.has(requirement) && !JSON.stringify([input, after, message]).includes(REFERENCE),
  );
  if (expressible.length === 0) return null;
  const steps = expressible.flatMap((fault, index) => stepsOf(fault, index + 1));
  return `suite: v1\nid: fuzz\ntitle: Inputs that showed a fault\nsteps:\n${steps.join('\n\n')}\n`;
}

function stepsOf({ after, requirement, message, ...last }: FaultyInput, number: number): readonly string[] {
  const calls = [...after, last];
  const names = new Map<string, string>();
  /** Of the saved value: two pointers may have the same letters. */
  const nameOf = ({ call, at }: TakenValue): string => {
    const value = `${call} ${at}`;
    const name = names.get(value) ?? `fault${number}Value${names.size + 1}`;
    names.set(value, name);
    return name;
  };
  return calls.map((call, index) => {
    const isLast = index === after.length;
    const idOf = (place: number): string =>
      `fault-${number}${place === after.length ? '' : `-after-${place + 1}`}`;
    const own = (id: string): string => `id: ${id}, level: MUST`;
    const expected = isLast ? EXPECTED.get(requirement) : NO_SERVER_ERROR;
    const taken = calls.flatMap(({ from }) =>
      Object.values(from).filter((value) => value.call === index + 1),
    );
    const saved = new Map(taken.map((value) => [value.at, nameOf(value)]));
    const values = Object.entries(call.from).map(([parameter, value]) => [
      parameter,
      `${REFERENCE}${nameOf(value)}}`,
    ]);
    const input = { ...call.input, ...Object.fromEntries(values) };
    const title = isLast ? message : `before: call ${call.function}`;
    return [
      `  - id: ${idOf(index)}`,
      `    title: ${liveFreeJson(title)}`,
      `    needs: [${index === 0 ? 'capabilities/read' : idOf(index - 1)}]`,
      `    request: { execute: ${liveFreeJson(call.function)}, arguments: ${liveFreeJson(input)} }`,
      ...[...saved].map(
        ([at, name], place) =>
          `${place === 0 ? '    save:\n' : ''}      ${name}: { at: ${JSON.stringify(jsonPathOf(`/result${at}`))} }`,
      ),
      `    expect: { ${expected?.(own(idOf(index)), own(`${idOf(index)}-result`))} }`,
    ].join('\n');
  });
}
