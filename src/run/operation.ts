import type { Exchange } from '../model/exchange.ts';
import type { ResponseTimes } from '../model/report.ts';
import type { RequestTemplate } from '../model/suite.ts';

export type Operation = ResponseTimes['operation'];

/** Which of the contract's operations a request asks, by its path below the target's address. */
export function operationOf(exchange: Exchange, targetUrl: string): Operation {
  const path = exchange.request.url.startsWith(targetUrl)
    ? exchange.request.url.slice(targetUrl.length).split('?', 1)[0]
    : '';
  if (path === '/health' || path === '/capabilities') return path.slice(1) as Operation;
  return path === '/execute' ? 'execute' : 'other';
}

/** Whether a request is about /execute, as a call or with a body of its own: the form that counts is that of /execute. */
export function asksExecute(request: RequestTemplate | null | undefined): boolean {
  if (request?.kind === 'post') return request.path === '/execute';
  return request?.kind === 'execute';
}
