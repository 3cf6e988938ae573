import {
  type AnsweredExchange,
  capabilitiesInFormB,
  type HttpExchange,
  isFirstAttemptOf,
  type Json,
  type JsonObject,
  jsonBody,
  messageMethod,
  openedBy,
  ownProperty,
  stepIn,
  toolOutcome,
} from 'probity/model';

// What a test of a server of the Model Context Protocol reads in its first messages, as the directory stores it.

const OPEN_STEP = 'mcp-session/open';
const PING_STEP = 'mcp-session/ping';
const LIST_STEP = 'capabilities/read';

/** A request of a test whose answer says how the server is. */
export interface HealthRead {
  readonly exchange: HttpExchange;
  /** Null if it is not the time of a usual request. */
  readonly durationMs: number | null;
}

/** A capabilities record, and the first request for it. */
export interface CapabilitiesRead {
  readonly exchange: HttpExchange;
  readonly record: JsonObject;
  readonly durationMs: number;
}

/** Until the answer was complete; a server may keep its stream open after that. */
export function answeredAfterMs(exchange: HttpExchange): number {
  const answeredAtMs = exchange.kind === 'answered' ? exchange.stream?.answeredAtMs : null;
  return answeredAtMs ?? exchange.timing.durationMs;
}

/**
 * What does the work of GET /health: `ping`, or in the stateless era, which has none, the `server/discover` that opened
 * the conversation. Null if nothing was sent. Pure.
 */
export function mcpHealth(exchanges: readonly HttpExchange[]): HealthRead | null {
  const exchange = firstOf(exchanges, PING_STEP) ?? firstOf(exchanges, OPEN_STEP);
  if (exchange === undefined) return null;
  // With `initialize`, a server opens a session, which takes longer.
  const isUsual = messageMethod(exchange.request) !== 'initialize';
  return { exchange, durationMs: isUsual ? answeredAfterMs(exchange) : null };
}

/** Whether an answer to `ping`, or to what opens a conversation, shows that the server is up. Pure. */
export function saysUp(answer: AnsweredExchange): boolean {
  return toolOutcome(answer).kind === 'result' || openedBy([answer]) !== null;
}

/** The capabilities record that the gateway would read of the server, from all pages of tools/list. Pure. */
export function mcpCapabilities(exchanges: readonly HttpExchange[]): CapabilitiesRead | null {
  const pages = exchanges.filter(({ request }) => stepIn(request.key) === LIST_STEP);
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

export function firstOf(exchanges: readonly HttpExchange[], step: string): HttpExchange | undefined {
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
