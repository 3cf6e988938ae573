import {
  type Exchange,
  type Form,
  type Header,
  isJsonObject,
  type JsonObject,
  jsonBody,
  OptionError,
  ownProperty,
  type PlannedRequest,
  parseTarget,
  type TransportFailure,
  unsentExchange,
  wholeBody,
} from 'probity/model';
import {
  type ConnectionPool,
  createConnectionPool,
  createLiveProbe,
  DEFAULT_BOUNDS,
  givenHeaders,
  harnessVersion,
  plainRead,
  refuseUrl,
  systemClock,
} from 'probity/service';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { EntryTarget } from '../store/entries.ts';
import { targetTokenOf } from './target-token.ts';

export type TargetSettings = Pick<ServiceSettings, 'publicOnly' | 'ca' | 'environment' | 'callTimeoutMs'>;

/** With what targets are reached. */
export interface Targets {
  readonly settings: TargetSettings;
  readonly pool: ConnectionPool;
}

/** What came of a read; the record is null where the answer is not 200 or no JSON object. */
export interface TargetRead {
  readonly exchange: Exchange;
  readonly record: JsonObject | null;
}

/** A call in the target's own form (specification, section 2.6). */
export interface TargetCall {
  readonly form: Form;
  readonly functionName: string;
  /** A JSON object as it was written: numbers that no double holds arrive as they were sent. */
  readonly inputText: string;
  /** Sent in form B only. */
  readonly requestId: string;
}

/** Reads are short: a target that is slower is not asked for anything else. */
export const MAX_READ_TIMEOUT_MS = 10_000;

/** What the directory keeps of a target's capabilities is read with every look at its entry. */
const MAX_READ_BYTES = 1024 * 1024;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * The connections to all targets. A proxy of the environment is not used: it would look names up by itself, past the
 * address guard.
 */
export function createTargetPool(settings: TargetSettings): ConnectionPool {
  const { publicOnly, ca } = settings;
  return createConnectionPool({ publicOnly, ca, connectTimeoutMs: readTimeoutMs(settings), viaProxy: false });
}

function readTimeoutMs({ callTimeoutMs }: TargetSettings): number {
  return Math.min(callTimeoutMs, MAX_READ_TIMEOUT_MS);
}

/** GET /health (specification, section 4.2). Never rejects. */
export function readHealth(entry: EntryTarget, targets: Targets, signal?: AbortSignal): Promise<TargetRead> {
  return read(entry, targets, '/health', signal);
}

/** GET /capabilities (specification, section 4.2). Never rejects. */
export function readCapabilities(entry: EntryTarget, targets: Targets): Promise<TargetRead> {
  return read(entry, targets, '/capabilities');
}

/** POST /execute (specification, section 4.2), once: whatever comes of it, it is not sent again. Never rejects. */
export function callFunction(
  entry: EntryTarget,
  targets: Targets,
  { form, functionName, inputText, requestId }: TargetCall,
): Promise<Exchange> {
  const name = JSON.stringify(functionName);
  const body =
    form === 'A'
      ? `{"function":${name},"input":${inputText}}`
      : `{"function":${name},"parameters":${inputText},"requestId":${JSON.stringify(requestId)}}`;
  const planned: PlannedRequest = {
    ...plainRead('/execute', 'directory/execute', targets.settings.callTimeoutMs),
    method: 'POST',
    headers: [...DIRECTORY_HEADERS, ['content-type', 'application/json']],
    body: wholeBody(Buffer.from(body)),
  };
  return ask(entry, targets, planned, MAX_ANSWER_BYTES);
}

async function read(
  entry: EntryTarget,
  targets: Targets,
  path: string,
  signal?: AbortSignal,
): Promise<TargetRead> {
  const timeoutMs = readTimeoutMs(targets.settings);
  const planned = { ...plainRead(path, `directory${path}`, timeoutMs), headers: DIRECTORY_HEADERS };
  const exchange = await ask(entry, targets, planned, MAX_READ_BYTES, signal);
  return { exchange, record: recordIn(exchange) };
}

/** The capabilities record that an answer carries, or null (specification, section 2.5). Pure. */
export function goodCapabilities(exchange: Exchange): JsonObject | null {
  const record = recordIn(exchange);
  return record !== null && Array.isArray(ownProperty(record, 'functions')) ? record : null;
}

function recordIn(exchange: Exchange): JsonObject | null {
  if (exchange.kind === 'unanswered' || exchange.response.status !== 200) return null;
  const { value } = jsonBody(exchange);
  return isJsonObject(value) ? value : null;
}

const DIRECTORY_HEADERS: readonly Header[] = [
  ['accept', 'application/json'],
  ['accept-encoding', 'identity'],
  ['user-agent', `probity/${harnessVersion()} (directory)`],
];

/** Sends to the entry's endpoint what is planned for a path below it. */
async function ask(
  entry: EntryTarget,
  { settings, pool }: Targets,
  planned: PlannedRequest,
  maxBodyBytes: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<Exchange> {
  const way = wayTo(entry, settings);
  const request = { ...planned, url: `${way.url}${planned.url}` };
  if (way.kind === 'closed') return unsentExchange(request, way.reason, systemClock.nowMs());
  const probe = createLiveProbe({
    clock: systemClock,
    ...way.given,
    bounds: { ...DEFAULT_BOUNDS, maxBodyBytes },
    publicOnly: settings.publicOnly,
    ca: settings.ca,
    signal,
    pool,
  });
  return probe.send(request);
}

/** Why a target is not asked at all: its address, or a key that is missing. Null where it may be. */
export function refusalOf(entry: EntryTarget, settings: TargetSettings): TransportFailure | null {
  const way = wayTo(entry, settings);
  return way.kind === 'closed' ? way.reason : null;
}

type Way =
  | { readonly kind: 'open'; readonly url: string; readonly given: ReturnType<typeof givenHeaders> }
  | { readonly kind: 'closed'; readonly url: string; readonly reason: TransportFailure };

function wayTo(entry: EntryTarget, { publicOnly, environment }: TargetSettings): Way {
  const closed = (code: TransportFailure['code'], message: string): Way => ({
    kind: 'closed',
    url: entry.endpoint,
    reason: { code, fault: 'harness', message },
  });
  const parsed = parseTarget(entry.endpoint);
  if ('problem' in parsed) return closed('not-sent', `its address cannot be used: ${parsed.problem}`);
  const { url } = parsed.target;
  const refusal = publicOnly ? refuseUrl(new URL(url)) : null;
  if (refusal !== null) return closed('address-refused', refusal);
  const token = targetTokenOf(entry, environment);
  if (token.kind === 'problem') return closed('not-sent', token.problem);
  try {
    return {
      kind: 'open',
      url,
      given: givenHeaders(token.kind === 'token' ? { bearerToken: token.token } : {}),
    };
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    return closed('not-sent', 'the key that the directory has for this server is nothing a header can carry');
  }
}
