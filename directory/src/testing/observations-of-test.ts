import {
  bufferFrom,
  decodeJson,
  type Exchange,
  isFirstAttemptOf,
  isForAnItemOf,
  isJsonObject,
  type JsonObject,
  jsonBody,
  ownProperty,
  type TestResult,
} from 'probity/model';
import { goodCapabilities } from '../probing/target-client.ts';
import { stateOf } from '../probing/target-state.ts';
import type { Observation } from '../store/observations.ts';

const HEALTH_STEP = 'health/read';
const CAPABILITIES_STEP = 'capabilities/read';
const CALL_STEP = 'execute/call';

/**
 * What a test observed of its target: its state, by the first GET /health; and the time of the first successful calls of
 * /health, of /capabilities and of each function. What is called later in a test is asked for in abnormal ways or under
 * load, and says nothing of how it usually answers. Pure.
 */
export function observationsOfTest(entryId: string, { exchanges }: TestResult): readonly Observation[] {
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
  const health = firstOf(exchanges, HEALTH_STEP);
  const capabilities = firstOf(exchanges, CAPABILITIES_STEP);
  const state = health === undefined ? null : stateOf(health);
  return [
    ...(health === undefined
      ? []
      : [
          observed(health, 'health', {
            up: state,
            duration_ms: state === true ? health.timing.durationMs : null,
          }),
        ]),
    ...(capabilities === undefined || goodCapabilities(capabilities) === null
      ? []
      : [
          observed(capabilities, 'capabilities', {
            up: null,
            duration_ms: capabilities.timing.durationMs,
          }),
        ]),
    ...firstCalls(exchanges).map((call) =>
      observed(call, 'execute', { up: null, duration_ms: call.timing.durationMs }),
    ),
  ];
}

function firstOf(exchanges: readonly Exchange[], step: string): Exchange | undefined {
  return exchanges.find(({ request }) => isFirstAttemptOf(request.key, step));
}

function firstCalls(exchanges: readonly Exchange[]): readonly Exchange[] {
  const byFunction = new Map<string, Exchange>();
  for (const exchange of exchanges) {
    if (!isForAnItemOf(exchange.request.key, CALL_STEP) || !isServedCall(exchange)) continue;
    const name = functionIn(exchange);
    if (name !== null && !byFunction.has(name)) byFunction.set(name, exchange);
  }
  return [...byFunction.values()];
}

function isServedCall(exchange: Exchange): boolean {
  if (exchange.kind !== 'answered' || exchange.response.status !== 200) return false;
  const { value } = jsonBody(exchange);
  return isJsonObject(ownProperty(value, 'output')) || isJsonObject(ownProperty(value, 'result'));
}

function functionIn({ request: { body } }: Exchange): string | null {
  if (body === null || 'parts' in body) return null;
  const name = ownProperty(decodeJson(bufferFrom(body)).value, 'function');
  return typeof name === 'string' ? name : null;
}

/** The capabilities record that a test read, or null. Pure. */
export function capabilitiesOfTest({ exchanges }: TestResult): JsonObject | null {
  const read = firstOf(exchanges, CAPABILITIES_STEP);
  return read === undefined ? null : goodCapabilities(read);
}

/**
 * True when a test came to nothing for reasons that are not the target's. That its address may not be connected to is no
 * trouble of ours: an entry that nobody can call through the directory is not one to show. Pure.
 */
export function showsOwnTroubleOnly({ exchanges }: TestResult): boolean {
  if (
    exchanges.some((exchange) => exchange.kind === 'answered' || exchange.reason.code === 'address-refused')
  )
    return false;
  const health = firstOf(exchanges, HEALTH_STEP);
  return health === undefined || stateOf(health) === null;
}
