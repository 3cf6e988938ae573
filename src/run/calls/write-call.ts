// How a call is written: its id, its body, and its request.
import { createHash } from 'node:crypto';
import { stringifyExactly } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json.ts';
import type { EarlierCall, InputSource, PlannedCall } from '../../model/call.ts';
import type { Sending } from '../../model/request-template.ts';
import type { Wire } from '../../model/wire.ts';
import type { Instance } from '../state/record.ts';
import type { PlannedInstance } from './expand-context.ts';
import { executeRequest } from './http-request.ts';
import { type InstanceRequest, toolCall } from './make-request.ts';
import { expandToText, type Scope } from './template.ts';

export function written(template: Sending, call: PlannedCall, scope: Scope): InstanceRequest {
  return call.form === 'mcp'
    ? toolCall(template, call.functionName, call.input, scope)
    : executeRequest(template, Buffer.from(stringifyExactly(callBody(call))), scope);
}

const PLAIN: Sending = {
  headers: {},
  abort: null,
  anonymous: false,
  keepConnection: false,
  scheme: null,
  token: null,
  timeoutMs: null,
  retry: null,
};
const NO_SCOPE: Scope = new Map();

/** The same call with another input. */
export function withOtherInput(
  instance: Instance,
  input: JsonObject,
  inputSource: InputSource,
  key: string,
  seed: number,
  after?: readonly EarlierCall[],
): PlannedInstance {
  const { call: before } = instance;
  if (before === null) throw new TypeError(`${instance.key} is not a call`);
  const requestId = before.requestId === null ? null : ownRequestId(seed, key);
  const call = { ...before, input, inputSource, requestId, ...(after === undefined ? {} : { after }) };
  return { ...instance, key, call, request: written(PLAIN, call, NO_SCOPE) };
}

/** The body of a call in the target's wire form (specification, section 2.6). */
export function callBody({ form, functionName, input, requestId }: PlannedCall): JsonObject {
  const inputKey = form === 'A' ? 'input' : 'parameters';
  return {
    function: functionName,
    ...(input === null ? {} : { [inputKey]: input }),
    ...(requestId === null ? {} : { requestId }),
  };
}

export function requestIdFor(
  template: string,
  form: Wire,
  seed: number,
  key: string,
  scope: Scope,
): string | null {
  if (form !== 'B' || template === 'none') return null;
  if (template !== '') return expandToText(template, scope);
  return ownRequestId(seed, key);
}

function ownRequestId(seed: number, key: string): string {
  return `probity-${seed}-${digestOf(key)}`;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
