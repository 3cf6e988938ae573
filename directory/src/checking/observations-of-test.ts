import {
  type AnsweredExchange,
  bufferFrom,
  callIn,
  capabilitiesInFormB,
  decodeJson,
  type Exchange,
  type HttpExchange,
  isFirstAttemptOf,
  isForAnItemOf,
  isJsonObject,
  isOverHttp,
  type Json,
  type JsonObject,
  jsonBody,
  messageMethod,
  openedBy,
  ownProperty,
  sentBytes,
  stepIn,
  type TestResult,
  toolOutcome,
} from 'probity/model';
import { validCapabilities } from '../targets/target-client.ts';
import { isGated, stateOf } from '../targets/target-state.ts';
import type { Observation } from '../watching/observed-time.ts';

const HEALTH_STEP = 'health/read';
const CAPABILITIES_STEP = 'capabilities/read';
const CALL_STEP = 'execute/call';

/**
 * The observations of a test: the state by the first GET /health, and the times of the first successful calls of
 * /health, of /capabilities and of each function, or of the messages of the Model Context Protocol that do the same.
 * Later calls of a test are abnormal or under load, so their times are not typical. Pure.
 */
export function observationsOfTest(entryId: string, result: TestResult): readonly Observation[] {
  const observed = (
    operation: Observation['operation'],
    { exchange, durationMs, state = null }: Read,
  ): Observation => ({
    entry_id: entryId,
    at: new Date(exchange.timing.startedAtMs),
    up: state,
    operation,
    duration_ms: durationMs,
    source: 'test',
  });
  const health = healthOf(result);
  const capabilities = capabilitiesReadIn(result);
  return [
    ...(health === null ? [] : [observed('health', health)]),
    ...(capabilities === null ? [] : [observed('capabilities', capabilities)]),
    ...firstCalls(result.exchanges).map((call) => observed('execute', timed(call))),
  ];
}

/** What a test read, with the first request for it. */
interface Read {
  readonly exchange: HttpExchange;
  /** Null if it is not the time of a successful, usual request. */
  readonly durationMs: number | null;
  /** Whether the server is up; null if the answer does not show it. */
  readonly state?: boolean | null;
}

type CapabilitiesRead = Read & { readonly record: JsonObject };

function timed(exchange: HttpExchange): Read {
  return { exchange, durationMs: answeredAfterMs(exchange) };
}

/** The first GET /health of a test, or what does its work in another protocol; null without one. Pure. */
export function healthIn({
  settings,
  exchanges,
}: Pick<TestResult, 'settings' | 'exchanges'>): HttpExchange | null {
  const sent = exchanges.filter(isOverHttp);
  return (settings.mcp === undefined ? firstOf(sent, HEALTH_STEP) : mcpHealth(sent)) ?? null;
}

/**
 * The answer with which a server refuses the directory in a test; null when it lets it in. Some servers show their health to
 * everybody, and want a key for the rest. Pure.
 */
export function refusalIn(result: Pick<TestResult, 'settings' | 'exchanges'>): AnsweredExchange | null {
  const sent = result.exchanges.filter(isOverHttp);
  for (const exchange of [healthIn(result), firstOf(sent, CAPABILITIES_STEP) ?? null])
    if (exchange?.kind === 'answered' && isGated(exchange)) return exchange;
  return null;
}

function healthOf({ settings, exchanges }: TestResult): Read | null {
  const isMcp = settings.mcp !== undefined;
  const exchange = healthIn({ settings, exchanges });
  if (exchange === null) return null;
  const state = isMcp ? stateOf(exchange, saysUp) : stateOf(exchange);
  // With `initialize`, a server opens a session, which takes longer.
  const isUsual = !isGated(exchange) && (!isMcp || messageMethod(exchange.request) !== 'initialize');
  return { exchange, state, durationMs: state === true && isUsual ? answeredAfterMs(exchange) : null };
}

function capabilitiesReadIn({ settings, exchanges }: TestResult): CapabilitiesRead | null {
  const sent = exchanges.filter(isOverHttp);
  if (settings.mcp !== undefined) return mcpCapabilities(sent);
  const exchange = firstOf(sent, CAPABILITIES_STEP);
  const record = exchange === undefined ? null : validCapabilities(exchange);
  return exchange === undefined || record === null ? null : { ...timed(exchange), record };
}

function firstCalls(exchanges: readonly Exchange[]): readonly HttpExchange[] {
  const byFunction = new Map<string, HttpExchange>();
  for (const exchange of exchanges.filter(isOverHttp)) {
    if (!isForAnItemOf(exchange.request.key, CALL_STEP) || !isSuccessfulCall(exchange)) continue;
    const name = functionCalledIn(exchange);
    if (name !== null && !byFunction.has(name)) byFunction.set(name, exchange);
  }
  return [...byFunction.values()];
}

function isSuccessfulCall(exchange: HttpExchange): boolean {
  if (exchange.kind !== 'answered') return false;
  if (exchange.request.message !== undefined) return toolOutcome(exchange).kind === 'result';
  if (exchange.response.status !== 200) return false;
  const { value } = jsonBody(exchange);
  return isJsonObject(ownProperty(value, 'output')) || isJsonObject(ownProperty(value, 'result'));
}

/** The function that a call names, or null. Pure. */
export function functionCalledIn({ request }: Exchange): string | null {
  if (request.message !== undefined) return callIn(request)?.functionName ?? null;
  const body = sentBytes(request);
  if (body === null || 'parts' in body) return null;
  const name = ownProperty(decodeJson(bufferFrom(body)).value, 'function');
  return typeof name === 'string' ? name : null;
}

/** The valid capabilities record that a test read, or null. Pure. */
export function capabilitiesOfTest(result: TestResult): JsonObject | null {
  return capabilitiesReadIn(result)?.record ?? null;
}

/**
 * Whether a test failed only because of problems of the directory. A refused address is a problem of the target: an
 * entry that cannot be called through the directory must not be listed. Pure.
 */
export function failedOnOurSide(result: TestResult): boolean {
  if (
    result.exchanges.some(
      (exchange) => exchange.kind !== 'unanswered' || exchange.reason.code === 'address-refused',
    )
  )
    return false;
  const health = healthOf(result);
  return health === null || health.state === null;
}

// What a test of a server of the Model Context Protocol reads in its first messages, as the directory stores it.

const OPEN_STEP = 'mcp-session/open';
const PING_STEP = 'mcp-session/ping';

/** Until the answer was complete; a server may keep its stream open after that. */
function answeredAfterMs(exchange: HttpExchange): number {
  const answeredAtMs = exchange.kind === 'answered' ? exchange.stream?.answeredAtMs : null;
  return answeredAtMs ?? exchange.timing.durationMs;
}

/**
 * What does the work of GET /health: `ping`, or in the stateless era, which has none, the `server/discover` that opened
 * the conversation.
 */
function mcpHealth(exchanges: readonly HttpExchange[]): HttpExchange | undefined {
  return firstOf(exchanges, PING_STEP) ?? firstOf(exchanges, OPEN_STEP);
}

/** Whether an answer to `ping`, or to what opens a conversation, shows that the server is up. Pure. */
function saysUp(answer: AnsweredExchange): boolean {
  return toolOutcome(answer).kind === 'result' || openedBy([answer]) !== null;
}

/** The capabilities record that the gateway would read of the server, from all pages of tools/list. Pure. */
function mcpCapabilities(exchanges: readonly HttpExchange[]): CapabilitiesRead | null {
  const pages = exchanges.filter(({ request }) => stepIn(request.key) === CAPABILITIES_STEP);
  const [exchange] = pages;
  const lists = pages.map(toolsOn);
  if (exchange === undefined || !lists.every((tools) => tools !== null)) return null;
  const hasEnd = ownProperty(resultIn(pages.at(-1)), 'nextCursor') === undefined;
  return {
    exchange,
    record: capabilitiesInFormB(hasEnd ? lists.flat() : withoutRepeated(lists.flat()), selfOf(exchanges)),
    durationMs: pages.reduce((sum, page) => sum + answeredAfterMs(page), 0),
  };
}

function firstOf(exchanges: readonly HttpExchange[], step: string): HttpExchange | undefined {
  return exchanges.find(({ request }) => isFirstAttemptOf(request.key, step));
}

function resultIn(exchange: HttpExchange | undefined): Json | undefined {
  return exchange?.kind === 'answered' ? ownProperty(jsonBody(exchange).value, 'result') : undefined;
}

function toolsOn(page: HttpExchange): readonly Json[] | null {
  const tools = ownProperty(resultIn(page), 'tools');
  return Array.isArray(tools) ? (tools as readonly Json[]) : null;
}

/** Pages that repeat have no end; what they list is known. */
function withoutRepeated(tools: readonly Json[]): readonly Json[] {
  return [...new Map(tools.map((tool) => [JSON.stringify(tool), tool])).values()];
}

/** What the server said of itself when the conversation was opened. */
function selfOf(exchanges: readonly HttpExchange[]): Parameters<typeof capabilitiesInFormB>[1] {
  const opening = firstOf(exchanges, OPEN_STEP);
  const opened = opening === undefined ? null : openedBy([opening]);
  if (opened === null) return null;
  const result = resultIn(opening);
  const info =
    ownProperty(result, 'serverInfo') ??
    ownProperty(ownProperty(result, '_meta'), 'io.modelcontextprotocol/serverInfo');
  const textAt = (name: string): string | null => {
    const text = ownProperty(info, name);
    return typeof text === 'string' ? text : null;
  };
  return {
    name: opened.name ?? '',
    version: opened.serverVersion ?? '',
    title: textAt('title'),
    description: textAt('description'),
    protocolVersion: opened.version,
    transport: 'streamable HTTP',
  };
}
