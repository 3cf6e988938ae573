import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { objectIn, type SendOptions } from './message-channel.ts';
import type { SubjectTransport } from './subject.ts';

/** What to pass to the server in one exchange. */
export interface RelayRequest extends Pick<SendOptions, 'method' | 'headers'> {
  /** Name of the session, which is opened by its first use. */
  readonly session: string;
  /** Messages; a text is passed on as it is. */
  readonly send: readonly Json[];
  readonly waitMs: number;
  /** Ask for the following pages too. */
  readonly pages: boolean;
  /** Only over this transport; otherwise nothing is sent. */
  readonly over: SubjectTransport | null;
  /** End the session afterwards. */
  readonly end: boolean;
}

const WAIT_MS = 10_000;
const MAX_WAIT_MS = 120_000;
const METHODS = ['GET', 'POST', 'DELETE'] as const;

export type ReadRelayRequest =
  | { readonly kind: 'exchange'; readonly request: RelayRequest }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'refused'; readonly problem: string };

/** `recorded` asks for the calls of the bridge itself. */
export function readRelayRequest(body: Uint8Array): ReadRelayRequest {
  const refused = (problem: string): ReadRelayRequest => ({ kind: 'refused', problem });
  const given = objectIn(new TextDecoder().decode(body));
  if (given === undefined) return refused('The body must be a JSON object.');
  if (given.recorded === true) return { kind: 'recorded' };
  const { session, send = [], method = 'POST', headers = {}, waitMs = WAIT_MS, over, pages, end } = given;
  if (typeof session !== 'string') return refused('`session` must be a name.');
  if (!Array.isArray(send)) return refused('`send` must be a list of messages.');
  const chosen = METHODS.find((one) => one === method);
  if (chosen === undefined) return refused(`\`method\` must be one of ${METHODS.join(', ')}.`);
  if (!isHeaders(headers)) return refused('`headers` must be a mapping from header name to text or null.');
  if (typeof waitMs !== 'number' || waitMs < 1 || waitMs > MAX_WAIT_MS)
    return refused(`\`waitMs\` must be a number from 1 to ${MAX_WAIT_MS}.`);
  if (over !== undefined && over !== 'http' && over !== 'stdio')
    return refused('`over` must be http or stdio.');
  const messages = send as readonly Json[];
  return {
    kind: 'exchange',
    request: {
      ...{ session, send: messages, method: chosen, headers, waitMs },
      over: over === 'http' ? 'streamable HTTP' : (over ?? null),
      ...{ pages: pages === true, end: end === true },
    },
  };
}

function isHeaders(value: Json): value is JsonObject & Readonly<Record<string, string | null>> {
  return isJsonObject(value) && Object.values(value).every((one) => one === null || typeof one === 'string');
}
