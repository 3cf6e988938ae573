// The folder `targets` sends all requests to targets except those of tests: directly or through a bridge, only to addresses
// that are allowed (`target-access.ts`), and not faster than the budget of their host (`target-limiter.ts`).

import {
  type Form,
  type Header,
  type HttpExchange,
  isJsonObject,
  type JsonObject,
  jsonBody,
  overHttp,
  ownProperty,
  type PlannedHttp,
  type TransportFailure,
  unsentExchange,
  wholeBody,
} from 'probity/model';
import {
  type ConnectionPool,
  createConnectionPool,
  createLiveProbe,
  DEFAULT_BOUNDS,
  harnessVersion,
  plainRead,
  systemClock,
} from 'probity/service';
import type { EntryTarget } from '../entries/entries.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import type { Bridges } from './bridges.ts';
import { accessTo, targetTokenOf } from './target-access.ts';

export type TargetSettings = Pick<ServiceSettings, 'publicOnly' | 'ca' | 'environment' | 'callTimeoutMs'>;

export interface Targets {
  readonly settings: TargetSettings;
  readonly pool: ConnectionPool;
  readonly bridges: Bridges;
  /** Interrupts the requests for which no other signal is given. */
  readonly ending: AbortSignal;
}

/** A call in the target's own form (specification, section 2.6). */
export interface TargetCall {
  readonly form: Form;
  readonly functionName: string;
  /** The JSON object exactly as the caller wrote it, so that numbers which a double cannot hold are not rounded. */
  readonly inputText: string;
  /** Sent in form B only. */
  readonly requestId: string;
}

/** A target that takes longer to answer a read is not called. */
export const MAX_READ_TIMEOUT_MS = 10_000;

/** Every read of an entry loads its stored capabilities, so they must stay small. */
const MAX_READ_BYTES = 1024 * 1024;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * The connections to all targets. Proxies from the environment are not used: a proxy resolves names itself, which
 * bypasses the address guard.
 */
export function createTargetPool(settings: TargetSettings): ConnectionPool {
  const { publicOnly, ca } = settings;
  return createConnectionPool({ publicOnly, ca, connectTimeoutMs: readTimeoutMs(settings), viaProxy: false });
}

function readTimeoutMs({ callTimeoutMs }: TargetSettings): number {
  return Math.min(callTimeoutMs, MAX_READ_TIMEOUT_MS);
}

/** GET /health (specification, section 4.2). Never rejects. */
export const readHealth = readerOf('/health', { needsKey: false });

/** GET /capabilities (specification, section 4.2). Never rejects. */
export const readCapabilities = readerOf('/capabilities', { needsKey: true });

function readerOf(path: string, { needsKey }: { readonly needsKey: boolean }) {
  return (entry: EntryTarget, targets: Targets, signal?: AbortSignal): Promise<HttpExchange> => {
    const planned = plainRead(path, `directory${path}`, readTimeoutMs(targets.settings));
    const request = { ...planned, headers: DIRECTORY_HEADERS };
    return send(entry, targets, { request, maxBodyBytes: MAX_READ_BYTES, needsKey }, signal);
  };
}

/** POST /execute (specification, section 4.2). The request is never sent twice. Never rejects. */
export function callFunction(
  entry: EntryTarget,
  targets: Targets,
  { form, functionName, inputText, requestId }: TargetCall,
  more: readonly Header[] = [],
): Promise<HttpExchange> {
  const name = JSON.stringify(functionName);
  const body =
    form === 'A'
      ? `{"function":${name},"input":${inputText}}`
      : `{"function":${name},"parameters":${inputText},"requestId":${JSON.stringify(requestId)}}`;
  const planned: PlannedHttp = {
    ...plainRead('/execute', 'directory/execute', targets.settings.callTimeoutMs),
    method: 'POST',
    headers: [...DIRECTORY_HEADERS, ['content-type', 'application/json'], ...more],
    body: wholeBody(Buffer.from(body)),
  };
  return send(entry, targets, { request: planned, maxBodyBytes: MAX_ANSWER_BYTES, needsKey: true });
}

/** The capabilities record in an answer, or null (specification, section 2.5). Pure. */
export function validCapabilities(exchange: HttpExchange): JsonObject | null {
  if (exchange.kind === 'unanswered' || exchange.response.status !== 200) return null;
  const { value } = jsonBody(exchange);
  return isJsonObject(value) && Array.isArray(ownProperty(value, 'functions')) ? value : null;
}

const DIRECTORY_HEADERS: readonly Header[] = [
  ['accept', 'application/json'],
  ['accept-encoding', 'identity'],
  ['user-agent', `probity/${harnessVersion()} (directory)`],
];

interface Sending {
  readonly request: PlannedHttp;
  readonly maxBodyBytes: number;
  /** Not sent while the directory lacks the key of the server. */
  readonly needsKey: boolean;
}

/** Sends a request whose URL is a path to the entry's endpoint, or through a bridge to it. */
async function send(
  entry: EntryTarget,
  { settings, pool, bridges, ending }: Targets,
  { request: planned, maxBodyBytes, needsKey }: Sending,
  signal: AbortSignal = ending,
): Promise<HttpExchange> {
  const access = accessTo(entry, settings);
  const request = { ...planned, url: `${access.url}${planned.url}` };
  const unsent = (reason: TransportFailure): HttpExchange =>
    overHttp(unsentExchange(request, reason, systemClock.nowMs()));
  if (access.kind === 'refused') return unsent(access.reason);
  const token = targetTokenOf(entry, settings.environment);
  if (needsKey && token.kind === 'missing')
    return unsent({ code: 'not-sent', fault: 'harness', message: token.problem });
  if (entry.listing.protocol === 'mcp')
    return bridges.send(
      { url: access.url, ...access.headers },
      { request, path: planned.url, maxBodyBytes, signal },
    );
  const probe = createLiveProbe({
    clock: systemClock,
    ...access.headers,
    bounds: { ...DEFAULT_BOUNDS, maxBodyBytes },
    publicOnly: settings.publicOnly,
    ca: settings.ca,
    signal,
    pool,
  });
  return overHttp(await probe.send(request));
}
