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
import { validCapabilities } from '../probing/target-client.ts';
import { stateOf } from '../probing/target-state.ts';
import type { Observation } from '../store/observations.ts';

const HEALTH_STEP = 'health/read';
const CAPABILITIES_STEP = 'capabilities/read';
const CALL_STEP = 'execute/call';

/**
 * The observations of a test: the state by the first GET /health, and the times of the first successful calls of
 * /health, of /capabilities and of each function. Later calls of a test are abnormal or under load, so their times are
 * not typical. Pure.
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
    ...(capabilities === undefined || validCapabilities(capabilities) === null
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
    if (!isForAnItemOf(exchange.request.key, CALL_STEP) || !isSuccessfulCall(exchange)) continue;
    const name = functionCalledIn(exchange);
    if (name !== null && !byFunction.has(name)) byFunction.set(name, exchange);
  }
  return [...byFunction.values()];
}

function isSuccessfulCall(exchange: Exchange): boolean {
  if (exchange.kind !== 'answered' || exchange.response.status !== 200) return false;
  const { value } = jsonBody(exchange);
  return isJsonObject(ownProperty(value, 'output')) || isJsonObject(ownProperty(value, 'result'));
}

/** The function that a call names, or null. Pure. */
export function functionCalledIn({ request: { body } }: Exchange): string | null {
  if (body === null || 'parts' in body) return null;
  const name = ownProperty(decodeJson(bufferFrom(body)).value, 'function');
  return typeof name === 'string' ? name : null;
}

/** The valid capabilities record that a test read, or null. Pure. */
export function capabilitiesOfTest({ exchanges }: TestResult): JsonObject | null {
  const read = firstOf(exchanges, CAPABILITIES_STEP);
  return read === undefined ? null : validCapabilities(read);
}

/**
 * Whether a test failed only because of problems of the directory. A refused address is a problem of the target: an
 * entry that cannot be called through the directory must not be listed. Pure.
 */
export function failedOnOurSide({ exchanges }: TestResult): boolean {
  if (
    exchanges.some((exchange) => exchange.kind === 'answered' || exchange.reason.code === 'address-refused')
  )
    return false;
  const health = firstOf(exchanges, HEALTH_STEP);
  return health === undefined || stateOf(health) === null;
}
