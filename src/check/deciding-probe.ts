import { jsonBody } from '../checks/json/json-body.ts';
import { isJsonObject, ownProperty } from '../json/json.ts';
import { type Exchange, isSuccess } from '../model/exchange.ts';
import type { EventWatch, Probe } from '../model/probe.ts';
import { TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { OnUnlikeAnswer } from './check-options.ts';

const READS = ['/health', '/capabilities'] as const;

/**
 * The first answers to the two reads show whether the target has the three endpoints, so that no other request is needed
 * to learn it. An answer that no such server gives is held back until the listener lets the run go on. A run that needs
 * only one of the reads sends only that one. The error of a listener rejects `send`.
 */
export function decidingProbe(usual: Probe, targetUrl: string, onUnlike: OnUnlikeAnswer | undefined): Probe {
  if (onUnlike === undefined) return usual;
  const seen = new Set<string>();
  return {
    ...usual,
    send: async (planned) => {
      if (!('url' in planned) || planned.method !== 'GET') return usual.send(planned);
      const read = READS.find((path) => planned.url === `${targetUrl}${path}`);
      if (read === undefined || seen.has(read)) return usual.send(planned);
      seen.add(read);
      // An endpoint of the Model Context Protocol may answer every GET with a stream that stays open.
      const exchange = await usual.send({ ...planned, events: HEAD_ONLY });
      if (exchange.kind === 'answered' && isUnlike(exchange)) await onUnlike(exchange);
      return exchange;
    },
  };
}

const HEAD_ONLY: EventWatch = { push: () => false, endsWithHead: true };
const NOT_IMPLEMENTED = 501;

/** A server in trouble, or one that is too busy to answer, may still have the endpoints. */
function isUnlike(exchange: Extract<Exchange, { kind: 'answered' }>): boolean {
  const { status } = exchange.response;
  if (!isSuccess(status))
    return (status >= 300 && status < 500 && status !== TOO_MANY_REQUESTS) || status === NOT_IMPLEMENTED;
  const { value } = jsonBody(exchange);
  return !isJsonObject(value) || ownProperty(value, 'jsonrpc') !== undefined;
}
