import {
  bufferFrom,
  callIn,
  decodeJson,
  type Exchange,
  type HttpExchange,
  isForAnItemOf,
  isJsonObject,
  isOverHttp,
  type JsonObject,
  jsonBody,
  ownProperty,
  sentBytes,
  type TestResult,
  toolOutcome,
} from 'probity/model';
import { validCapabilities } from '../targets/target-client.ts';
import { stateOf } from '../targets/target-state.ts';
import type { Observation } from '../watching/observed-time.ts';
import {
  answeredAfterMs,
  type CapabilitiesRead,
  firstOf,
  type HealthRead,
  mcpCapabilities,
  mcpHealth,
  saysUp,
} from './mcp-reads.ts';

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
    exchange: Exchange,
    operation: Observation['operation'],
    rest: Pick<Observation, 'up' | 'duration_ms'>,
  ): Observation => ({
    entry_id: entryId,
    at: new Date(exchange.timing.startedAtMs),
    operation,
    source: 'test',
    ...rest,
  });
  const health = healthOf(result);
  const capabilities = capabilitiesReadIn(result);
  return [
    ...(health === null
      ? []
      : [
          observed(health.exchange, 'health', {
            up: health.state,
            duration_ms: health.state === true ? health.durationMs : null,
          }),
        ]),
    ...(capabilities === null
      ? []
      : [
          observed(capabilities.exchange, 'capabilities', { up: null, duration_ms: capabilities.durationMs }),
        ]),
    ...firstCalls(result.exchanges).map((call) =>
      observed(call, 'execute', { up: null, duration_ms: answeredAfterMs(call) }),
    ),
  ];
}

function healthOf({
  settings,
  exchanges,
}: TestResult): (HealthRead & { readonly state: boolean | null }) | null {
  const sent = exchanges.filter(isOverHttp);
  if (settings.mcp !== undefined) {
    const read = mcpHealth(sent);
    return read === null ? null : { ...read, state: stateOf(read.exchange, saysUp) };
  }
  const exchange = firstOf(sent, HEALTH_STEP);
  if (exchange === undefined) return null;
  return { exchange, durationMs: answeredAfterMs(exchange), state: stateOf(exchange) };
}

function capabilitiesReadIn({ settings, exchanges }: TestResult): CapabilitiesRead | null {
  const sent = exchanges.filter(isOverHttp);
  if (settings.mcp !== undefined) return mcpCapabilities(sent);
  const exchange = firstOf(sent, CAPABILITIES_STEP);
  const record = exchange === undefined ? null : validCapabilities(exchange);
  if (exchange === undefined || record === null) return null;
  return { exchange, record, durationMs: answeredAfterMs(exchange) };
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
