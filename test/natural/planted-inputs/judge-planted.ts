import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Members } from '../natural-server.ts';
import type { PlantedCall, PlantedInputBug } from './plant-input.ts';

/** Judges answers by the rules of the rows alone, with another schema validator than the product. */

const REQUEST_ID = 'planted-1';

const ajv = new Ajv2020({
  strict: false,
  ownProperties: true,
  logger: false,
  formats: {
    date: isDay,
    'date-time': (given: string) =>
      /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(
        given,
      ) && isDay(given.slice(0, 10)),
    email: /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/,
  },
});

function isDay(given: string): boolean {
  const startMs = Date.parse(`${given}T00:00:00Z`);
  return !Number.isNaN(startMs) && new Date(startMs).toISOString().startsWith(given);
}

export function isValid(schema: Members, value: unknown): boolean {
  return ajv.validate(schema, value);
}

export interface Descriptor {
  readonly name: string;
  readonly parameters: Members;
  readonly returns: Members;
  readonly examples: readonly { readonly parameters: Members }[];
}

export async function describePlanted({ start, functionName }: PlantedInputBug): Promise<Descriptor> {
  const server = await start();
  try {
    const response = await fetch(`${server.url}/capabilities`);
    const { functions } = (await response.json()) as { functions: readonly Descriptor[] };
    return functions.find(({ name }) => name === functionName) as Descriptor;
  } finally {
    await server.close();
  }
}

export interface Answer {
  /** Undefined if the connection was closed without an answer. */
  readonly status?: number;
  /** Undefined if it is no JSON. */
  readonly body?: unknown;
}

export async function send(url: string, { function: name, input }: PlantedCall): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`${url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ function: name, parameters: input, requestId: REQUEST_ID }),
    });
  } catch {
    return {};
  }
  const { status } = response;
  const content = await response.text();
  try {
    return { status, body: JSON.parse(content) };
  } catch {
    return { status };
  }
}

/** The answers of a server that has had no other calls. */
export async function answersOf(
  { start }: PlantedInputBug,
  calls: readonly PlantedCall[],
): Promise<readonly Answer[]> {
  const server = await start();
  try {
    const answers: Answer[] = [];
    for (const call of calls) answers.push(await send(server.url, call));
    return answers;
  } finally {
    await server.close();
  }
}

/** The calls that show a bug. */
export function callsOf({ functionName, smallest }: PlantedInputBug): readonly PlantedCall[] {
  return isSequence(smallest) ? smallest : [{ function: functionName, input: smallest }];
}

function isSequence(smallest: PlantedInputBug['smallest']): smallest is readonly PlantedCall[] {
  return Array.isArray(smallest);
}

export function hasResult({ status, body }: Answer): boolean {
  return status === 200 && Object.hasOwn(Object(body), 'result');
}

export function resultOf({ body }: Answer): unknown {
  return (body as { result?: unknown }).result;
}

export function isAnswered(answer: Answer): boolean {
  const { status = 0, body } = answer;
  if (hasResult(answer)) return true;
  const { error, requestId } = Object(body) as { error?: Members; requestId?: unknown };
  const isError =
    typeof error?.code === 'string' && typeof error.message === 'string' && requestId === REQUEST_ID;
  return isError && ((status >= 400 && status < 500) || (status === 500 && error.code === 'EXECUTION_ERROR'));
}

/** Keys and JSON types; of a list, those of its items. */
function shapeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join()}]`;
  if (typeof value !== 'object') return typeof value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${key}:${shapeOf(member)}`).join()}}`;
}

function kindOf(answer: Answer): string {
  return hasResult(answer) ? shapeOf(resultOf(answer)) : 'failure';
}

/** The scalar values of a result by their places. */
function leavesOf(value: unknown, place = ''): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [[place, value]];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, `${place}/${key}`));
}

/** Whether the last answer has data of an earlier one, in a place where a server without other calls has other data. */
async function isMixedUp(bug: PlantedInputBug, calls: readonly PlantedCall[]): Promise<boolean> {
  const answers = await answersOf(bug, calls);
  const [alone = {}] = await answersOf(bug, calls.slice(-1));
  const last = answers.at(-1) ?? {};
  if (!hasResult(last) || !hasResult(alone)) return false;
  const own = new Map(leavesOf(resultOf(alone)));
  const earlier = answers.slice(0, -1).map((answer) => new Map(leavesOf(resultOf(answer))));
  return leavesOf(resultOf(last)).some(
    ([place, value]) =>
      own.get(place) !== value && earlier.some((leaves) => leaves.has(place) && leaves.get(place) === value),
  );
}

/** Whether calls of a new server show the failure of the row. */
export async function showsFailure(
  bug: PlantedInputBug,
  { returns }: Descriptor,
  calls: readonly PlantedCall[],
): Promise<boolean> {
  if (bug.row === 'inputs/callers-apart') return isMixedUp(bug, calls);
  const answers = await answersOf(bug, calls);
  const last = answers.at(-1) ?? {};
  switch (bug.row) {
    case 'inputs/valid-answered':
      return !isAnswered(last);
    case 'inputs/result-matches-returns':
      return hasResult(last) && !isValid(returns, resultOf(last));
    case 'inputs/invalid-refused':
      return hasResult(last) || !isAnswered(last);
    case 'inputs/same-kind': {
      const input = JSON.stringify(calls.at(-1));
      const kinds = answers.filter((_, at) => JSON.stringify(calls[at]) === input).map(kindOf);
      return new Set(kinds).size > 1;
    }
  }
}
