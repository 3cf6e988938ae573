import type { AnsweredExchange, Exchange } from '../../model/exchange.ts';
import { groupedBy } from '../../model/grouped-by.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  ownProperty,
  sameJson,
  showJson,
} from '../../model/json.ts';
import { jsonBody } from '../json/json-body.ts';
import { listIn, relayedRequest, sentJson, textsIn } from './relayed.ts';

/** An answer in which a bridge does not say what its server said. */
export interface ChangedAnswer {
  readonly exchangeKey: string;
  readonly what: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * Compares the answers of a bridge with what it recorded of its server. A run that did not ask for the record shows no
 * change; one that got none shows that the bridge fails.
 */
export function changedByBridge(exchanges: readonly Exchange[]): readonly ChangedAnswer[] {
  const answered = exchanges.filter((exchange) => exchange.kind === 'answered');
  const asked = exchanges.find((exchange) => relayedRequest(exchange)?.recorded === true);
  if (asked === undefined) return [];
  const record = asked.kind === 'answered' ? jsonBody(asked).value : undefined;
  if (!Array.isArray(ownProperty(record, 'calls')))
    return [
      {
        exchangeKey: asked.request.key,
        what: 'nothing that could be compared',
        expected: 'the record of the bridge',
        received: asked.kind === 'answered' ? `status ${asked.response.status}` : asked.reason.message,
      },
    ];
  const calls = listIn(record ?? null, 'calls').map(({ value }) => value);
  const lists = listIn(record ?? null, 'toolLists').map(({ value }) =>
    Array.isArray(value) ? (value as Json[]) : [],
  );
  const listed: Listed = { lists, tools: lists.flat() };
  const callsById = groupedBy(calls, (call) => ownProperty(call, 'requestId'));
  const isComplete = ownProperty(record, 'omitted') === 0;
  return answered.flatMap((exchange): readonly ChangedAnswer[] => {
    const { method, url, key } = exchange.request;
    const path = url.replace(/\?.*/, '');
    const problem =
      method === 'POST' && path.endsWith('/execute')
        ? problemOfCall(exchange, callsById, listed, isComplete)
        : method === 'GET' && path.endsWith('/capabilities')
          ? problemOfList(exchange, lists, isComplete)
          : method === 'GET' && path.endsWith('/health')
            ? problemOfHealth(exchange)
            : null;
    return problem === null ? [] : [{ exchangeKey: key, ...problem }];
  });
}

/** The tools of the server, as they were listed at different times, and all of them. */
interface Listed {
  readonly lists: readonly (readonly Json[])[];
  readonly tools: readonly Json[];
}

type Problem = Omit<ChangedAnswer, 'exchangeKey'>;

function problemOfCall(
  exchange: AnsweredExchange,
  callsById: ReadonlyMap<Json | undefined, readonly Json[]>,
  { lists, tools }: Listed,
  isComplete: boolean,
): Problem | null {
  const sent = sentJson(exchange) ?? null;
  const requestId = ownProperty(sent, 'requestId');
  const body = jsonBody(exchange).value ?? null;
  const { status } = exchange.response;
  // Without an id, an answer belongs to no call; that is so in form A.
  if (typeof requestId !== 'string') return null;
  const own = callsById.get(requestId) ?? [];
  if (own.length === 0) {
    const isNamed = (tool: Json): boolean => ownProperty(tool, 'name') === ownProperty(sent, 'function');
    // A server may have added or removed it meanwhile.
    const isAlwaysListed = lists.length > 0 && lists.every((list) => list.some(isNamed));
    const isRefused = status === 400 && codeIn(body) === 'FUNCTION_NOT_FOUND' && isAlwaysListed;
    if (!isComplete || (status < 500 && status >= 400 && !isRefused)) return null;
    return {
      what: 'a call that the server never got',
      expected: 'a call of the server, or a refusal of an invalid request',
      received: `status ${status}`,
    };
  }
  const problems = own.map((call) => problemOf(call, tools, status, body, requestId));
  // A request that is sent again has the same id, and its second call may not be in the record.
  return problems.includes(null) || !isComplete ? null : (problems[0] ?? null);
}

function problemOf(
  call: Json,
  tools: readonly Json[],
  status: number,
  body: Json,
  requestId: string,
): Problem | null {
  const expected = expectedOf(call, tools);
  const words = `status ${status}, ${showJson(body)}`;
  if (expected.status !== status || expected.code !== codeIn(body))
    return {
      what: 'a call',
      expected: `status ${expected.status}${expected.code === undefined ? '' : ` and the code ${expected.code}`}`,
      received: words,
    };
  if (ownProperty(body, 'requestId') !== requestId)
    return {
      what: 'the id of a call',
      expected: showJson(requestId),
      received: showJson(ownProperty(body, 'requestId')),
    };
  if (
    expected.message !== undefined &&
    ownProperty(ownProperty(body, 'error'), 'message') !== expected.message
  )
    return { what: 'the error of a call', expected: showJson(expected.message), received: words };
  const result = ownProperty(body, 'result');
  if (expected.result === undefined || (result !== undefined && isSame(result, expected.result))) return null;
  return { what: 'the result of a call', expected: showJson(expected.result), received: showJson(result) };
}

interface ExpectedAnswer {
  readonly status: number;
  readonly code?: Json | undefined;
  readonly message?: string | undefined;
  readonly result?: JsonObject;
}

/** How a bridge answers what the server answered (docs/mcp-servers.md). */
function expectedOf(call: Json, tools: readonly Json[]): ExpectedAnswer {
  const result = ownProperty(call, 'result');
  if (!isJsonObject(result)) return expectedFault(call);
  const { isError, structuredContent, content } = result;
  if (isError !== undefined && typeof isError !== 'boolean') return INVALID;
  if (isError === true)
    return { status: 500, code: 'EXECUTION_ERROR', message: textsIn(content).join('\n') || undefined };
  if (isJsonObject(structuredContent)) return { status: 200, result: structuredContent };
  const tool = tools.find((one) => ownProperty(one, 'name') === ownProperty(call, 'tool'));
  const isPlain = structuredContent === undefined && ownProperty(tool, 'outputSchema') === undefined;
  const isTyped =
    Array.isArray(content) &&
    (content as readonly Json[]).every((item) => typeof ownProperty(item, 'type') === 'string');
  return isPlain && isTyped ? { status: 200, result: { content } } : INVALID;
}

const INVALID: ExpectedAnswer = { status: 502, code: 'INVALID_ANSWER' };

const FAULTS: Readonly<Record<string, readonly [status: number, code: string]>> = {
  unavailable: [503, 'SERVER_UNAVAILABLE'],
  ended: [502, 'SERVER_ENDED'],
  timeout: [504, 'TIMEOUT'],
  refused: [502, 'PROTOCOL_ERROR'],
  invalid: [502, 'INVALID_ANSWER'],
  'too-large': [502, 'ANSWER_TOO_LARGE'],
  unsendable: [400, 'INVALID_REQUEST'],
  abandoned: [499, 'ABANDONED'],
};
/** JSON-RPC: the parameters of a method are invalid. */
const INVALID_PARAMS = -32602;

function expectedFault(call: Json): ExpectedAnswer {
  if (ownProperty(call, 'code') === INVALID_PARAMS) return { status: 400, code: 'INVALID_INPUT' };
  const [status, code] = FAULTS[String(ownProperty(call, 'fault'))] ?? [502];
  return { status, code };
}

function codeIn(body: Json): Json | undefined {
  return ownProperty(ownProperty(body, 'error'), 'code');
}

const HEALTH: readonly (readonly [member: string, type: 'string' | 'number'])[] = [
  ['status', 'string'],
  ['uptime', 'number'],
  ['timestamp', 'string'],
  ['version', 'string'],
  ['mcpVersion', 'string'],
];

/** A bridge always sends these members. */
function problemOfHealth(exchange: AnsweredExchange): Problem | null {
  const health = jsonBody(exchange).value ?? null;
  const missing = HEALTH.find(([member, type]) => typeof ownProperty(health, member) !== type);
  if (missing === undefined) return null;
  const [member, type] = missing;
  return {
    what: 'its own health record',
    expected: `${member}, a ${type}`,
    received: showJson(ownProperty(health, member)),
  };
}

function problemOfList(
  exchange: AnsweredExchange,
  lists: readonly (readonly Json[])[],
  isComplete: boolean,
): Problem | null {
  const functions = ownProperty(jsonBody(exchange).value ?? null, 'functions');
  // Without a list, the server could not be asked.
  if (lists.length === 0) return null;
  if (exchange.response.status === 200 && Array.isArray(functions))
    return !isComplete || lists.some((tools) => isListOf(functions as readonly Json[], tools))
      ? null
      : {
          what: 'the list of functions',
          expected: `the tools of the server: ${showJson(lists.at(-1))}`,
          received: showJson(functions),
        };
  // In form A, or while no session is open, nothing can be compared.
  return exchange.response.status >= 500
    ? null
    : {
        what: 'the list of functions',
        expected: 'status 200 and functions',
        received: `status ${exchange.response.status}`,
      };
}

/** Tools that can only run as tasks are not functions. */
function isListOf(functions: readonly Json[], tools: readonly Json[]): boolean {
  const callable = tools.filter(
    (tool) => ownProperty(ownProperty(tool, 'execution'), 'taskSupport') !== 'required',
  );
  return (
    functions.length === callable.length &&
    functions.every((one, index) => describes(one, callable[index] ?? null))
  );
}

function describes(descriptor: Json, tool: Json): boolean {
  if (!isJsonObject(tool)) return isSame(descriptor, tool);
  if (ownProperty(descriptor, 'inputs') !== undefined) return ownProperty(descriptor, 'name') === tool.name;
  const { name, description, inputSchema, outputSchema } = tool;
  return (
    isSame(ownProperty(descriptor, 'name'), name) &&
    (description === undefined || isSame(ownProperty(descriptor, 'description'), description)) &&
    isSameSchema(ownProperty(descriptor, 'parameters'), inputSchema) &&
    (outputSchema === undefined || isSameSchema(ownProperty(descriptor, 'returns'), outputSchema))
  );
}

/** A bridge adds `properties` where a schema has none. */
function isSameSchema(one: Json | undefined, other: Json | undefined): boolean {
  return isJsonObject(one) && isJsonObject(other)
    ? isSame({ properties: {}, ...one }, { properties: {}, ...other })
    : isSame(one, other);
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return sameJson(one, other);
}
