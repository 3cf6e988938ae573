import { exactBody } from '../../checks/json/json-body.ts';
import { callInputs, descriptorNamed } from '../../inputs/call-inputs.ts';
import { stringifyExactly } from '../../json/exact-json.ts';
import { itemsOf, type Json, type JsonObject, ownProperty, ownText, shorten } from '../../json/json.ts';
import type { LoadPlan } from '../../latency/load-plan.ts';
import type { PreparedCall, WantedCall } from '../../model/bench.ts';
import type { PlannedCall } from '../../model/call.ts';
import {
  type AnsweredExchange,
  type Exchange,
  type Header,
  headerValue,
  isSuccess,
} from '../../model/exchange.ts';
import { callKey, instanceKey } from '../../model/exchange-key.ts';
import { ExpectedError } from '../../model/expected-error.ts';
import type { LoadRequest } from '../../model/load.ts';
import type { PlannedRequest, Probe } from '../../model/probe.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import type { RunSettings } from '../../model/report.ts';
import type { Form } from '../../model/requirement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { overHttp, wholeBody } from '../../model/sent.ts';
import { type GivenHeader, withGiven } from '../../probe/given-headers.ts';
import { answerShape, capabilitiesForm, otherForm } from '../../run/calls/forms.ts';
import { callBody } from '../../run/calls/write-call.ts';
import { nearest } from '../../text/nearest-name.ts';
import { commonHeaders } from '../request-headers.ts';
import type { LoadOrder } from './load-engine.ts';

/** A target that cannot be put under the requested load, with the remedy. */
export class LoadRefused extends ExpectedError {
  override readonly name = 'LoadRefused';
}

/** A target whose answer cannot be timed. */
export class TargetRefuses extends ExpectedError {
  override readonly name = 'TargetRefuses';
}

/** A target that did not answer at all. */
export class TargetSilent extends ExpectedError {
  override readonly name = 'TargetSilent';
}

/** A load of these calls, which no status and no queue ends early. */
export function loadPlanOf(
  order: LoadOrder,
  calls: readonly PreparedCall[],
  { requestTimeoutMs, seed }: RunSettings,
): LoadPlan {
  const requests = calls.map(({ request }) => request);
  return { ...order, requests, requestTimeoutMs, seed, stopOnStatuses: [], maxWaiting: null };
}

interface PrepareInput {
  readonly targetUrl: string;
  readonly settings: RunSettings;
  readonly probe: Probe;
  readonly schemas: SchemaEvaluator;
  readonly given: readonly GivenHeader[];
}

/**
 * Builds the requests of a load, and tries each once: a refused request would be refused every time. Throws a
 * LoadRefused, a TargetRefuses or a TargetSilent.
 */
export async function prepareCalls(
  wanted: readonly WantedCall[],
  input: PrepareInput,
): Promise<readonly PreparedCall[]> {
  const calls = wanted.some(({ operation }) => operation === 'execute') ? await readFunctions(input) : null;
  const prepared: PreparedCall[] = [];
  for (const call of wanted) {
    prepared.push(
      call.operation === 'execute' && calls !== null
        ? await prepareExecute(call, calls, input)
        : await prepareRead(call, input),
    );
  }
  return prepared;
}

async function prepareRead(call: WantedCall, input: PrepareInput): Promise<PreparedCall> {
  const request = loadRequest('GET', `/${call.operation}`, null, call.weight, input);
  const exchange = await tryOnce(request, `bench/${call.operation}`, input);
  requireServed(exchange, `GET /${call.operation}`);
  return { ...call, request, exchange };
}

interface Functions {
  readonly form: Form;
  readonly list: Json | undefined;
}

async function readFunctions(input: PrepareInput): Promise<Functions> {
  const request = loadRequest('GET', '/capabilities', null, 1, input);
  const exchange = await tryOnce(request, 'bench/functions', input);
  const value = exactBody(requireServed(exchange, 'GET /capabilities'));
  const known = capabilitiesForm(value, input.settings.form);
  if (known.form === null)
    throw new LoadRefused(
      `The answer to GET /capabilities does not show the wire form (${known.because} did not pass). Set \`form\`, or run \`checkServer\`.`,
    );
  return { form: known.form, list: ownProperty(value, 'functions') };
}

async function prepareExecute(
  call: WantedCall,
  { form, list }: Functions,
  input: PrepareInput,
): Promise<PreparedCall> {
  const name = call.functionName ?? '';
  const descriptor = descriptorNamed(list, name);
  if (descriptor === undefined)
    throw new LoadRefused(`The target lists no function "${name}". ${others(list, name)}`);
  const forms = input.settings.form === 'auto' ? [form, otherForm(form)] : [form];
  let first: Exchange | null = null;
  for (const tried of forms) {
    const request = executeRequest(name, descriptor, tried, call.weight, input);
    const exchange = await tryOnce(request, callKey(instanceKey('bench/execute', name, null), tried), input);
    if (answerShape(exchange, tried) === 'served') return { ...call, request, exchange };
    first ??= exchange;
  }
  if (first !== null) requireServed(first, `a call of "${name}"`);
  throw new LoadRefused(
    `A call of "${name}" was answered with neither output nor result, so it cannot be timed. Run \`checkServer\` for details.`,
  );
}

function executeRequest(
  functionName: string,
  descriptor: JsonObject,
  form: Form,
  weight: number,
  input: PrepareInput,
): LoadRequest {
  const { samples } = input.settings;
  const own = Object.hasOwn(samples, functionName) ? (samples[functionName] ?? []) : [];
  const [made] = callInputs('sample', descriptor, own, input);
  if (made?.source === 'none-valid')
    throw new LoadRefused(
      `No input that the parameters of "${functionName}" accept could be generated. Add an example to its descriptor, or give an input under \`samples\`.`,
    );
  const call: PlannedCall = {
    form,
    functionName,
    input: made?.input ?? {},
    inputSource: made?.source ?? 'none-needed',
    // A repeated requestId could be answered from a cache.
    requestId: null,
  };
  return loadRequest('POST', '/execute', Buffer.from(stringifyExactly(callBody(call))), weight, input);
}

function loadRequest(
  method: string,
  path: string,
  body: Uint8Array | null,
  weight: number,
  { targetUrl, given }: PrepareInput,
): LoadRequest {
  const own: readonly Header[] = [
    ...commonHeaders(),
    ...(body === null ? [] : ([['content-type', 'application/json']] as const)),
  ];
  return { method, url: targetUrl + path, headers: withGiven(own, given), body, weight };
}

/** Sends it with the probe, which adds the user's headers and stores no secret. */
function tryOnce(request: LoadRequest, key: string, { settings, probe }: PrepareInput): Promise<Exchange> {
  const planned: PlannedRequest = {
    key,
    method: request.method,
    url: request.url,
    headers: request.headers,
    body: request.body === null ? null : wholeBody(request.body),
    abortAfterBytes: null,
    timeoutMs: settings.requestTimeoutMs,
    feedsLaterSteps: true,
    anonymous: false,
    connection: null,
    upgrade: null,
  };
  return probe.send(planned);
}

function requireServed(exchange: Exchange, what: string): AnsweredExchange {
  const answer = overHttp(exchange);
  if (answer.kind === 'unanswered') throw new TargetSilent(`${what}: ${answer.reason.message}.`);
  const { status } = answer.response;
  if (!isSuccess(status))
    throw new TargetRefuses(
      `${what} was answered with ${status}, so it cannot be timed. ${remedyFor(answer)}`,
    );
  return answer;
}

function remedyFor({ request, response }: AnsweredExchange): string {
  const { status, headers } = response;
  const location = headerValue(headers, 'location');
  if (status < 400)
    return location === undefined
      ? 'Only an answer with a status of 2xx is timed.'
      : `It redirects to ${shorten(location)}: use the base address of that.`;
  if (status === 401 || status === 403) return 'Set a key with `bearerToken` or `headers`.';
  if (status === 404 || status === 405)
    return 'Check the base address. A server of the Model Context Protocol is given by its endpoint, such as https://example.com/mcp.';
  if (status === TOO_MANY_REQUESTS)
    return 'The target limits requests: try again later, or ask its operator.';
  return request.method === 'POST'
    ? 'If the input is the reason, set a sample in the configuration.'
    : 'Fix that first: `checkServer` reports details.';
}

/** Of a function that is not listed: which one may be meant, or which ones are. */
export function others(list: Json | undefined, wanted: string): string {
  const names = itemsOf(list).flatMap((entry) => ownText(entry, 'name') ?? []);
  const close = nearest(wanted, new Set(names));
  if (close !== undefined) return `Did you mean "${close}"?`;
  return names.length === 0 ? 'It lists none.' : `It lists ${names.slice(0, 10).join(', ')}.`;
}
