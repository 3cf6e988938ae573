import { type Exchange, urlOf } from '../../model/exchange.ts';
import type { ResponseTimes } from '../../model/measurement.ts';
import { messageMethod } from '../../model/sent.ts';
import { isMessage } from '../../wires/mcp/answer.ts';

export type Operation = ResponseTimes['operation'];

/** The operation of the contract that a request calls, by its path below the target's address. */
export function operationOf(exchange: Exchange, targetUrl: string): Operation {
  if (isMessage(exchange)) return OF_METHODS[String(messageMethod(exchange.request))] ?? 'other';
  const url = urlOf(exchange);
  const path = url.startsWith(targetUrl) ? url.slice(targetUrl.length).split('?', 1)[0] : '';
  if (path === '/health' || path === '/capabilities') return path.slice(1) as Operation;
  if (path === '/execute') return 'execute';
  return platformOperation(path ?? '');
}

/** Methods of the Model Context Protocol that do what an operation of the contract does. */
const OF_METHODS: Readonly<Record<string, Operation>> = {
  ping: 'health',
  'server/discover': 'health',
  'tools/list': 'capabilities',
  'tools/call': 'execute',
};

const PLATFORM_PATH = /^\/servers\/(?<id>[^/]+)(?:\/(?<action>test|execute))?$/;

/** The operations of a directory (specification, section 4.1). */
function platformOperation(path: string): Operation {
  const { id, action } = PLATFORM_PATH.exec(path)?.groups ?? {};
  if (id === undefined) return 'other';
  if (action !== undefined) return action as Operation;
  return id === 'search' ? 'search' : 'details';
}
