import type { PlainSubject } from './checked-subject.ts';
import {
  broken,
  COMPLETE,
  http,
  like,
  type Members,
  type Mutant,
  opened,
  paramsOf,
  refusing,
  remembering,
  result,
  SESSION,
  STATELESS,
  STDIO,
  to,
} from './mcp-mutants.ts';

// Mutants of what servers do besides answering: what they add to messages, report, and let in.

const progressOf = (token: unknown, progress: unknown): unknown => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: token, progress, total: 10 },
});
const tokenIn = (request: Parameters<typeof paramsOf>[0]): unknown =>
  (paramsOf(request)._meta as Members | undefined)?.progressToken;
/** Forgets an entry when a list is read again. */
const shrinking = (method: string, member: string) => {
  let count = 0;
  return result(method, (r) => {
    count += 1;
    return count === 1 ? r : { ...r, [member]: (r[member] as readonly unknown[]).slice(1) };
  });
};
const paged = (method: string) =>
  result(method, (r) => ({ ...r, cacheScope: r.nextCursor === undefined ? 'private' : 'public' }));
const ignoring = (name: string): Pick<PlainSubject, 'intercept'> => ({
  intercept: ({ headers }) => {
    if (name === 'host') headers.host = '127.0.0.1';
    else headers[name] = 'application/json';
    return null;
  },
});

const LISTENING = { subject: { listening: true } };
const PONDERING: PlainSubject = { only: ['add', 'ponder'] };

export const CONDUCT_MUTANTS: readonly Mutant[] = [
  broken(
    'meta-keys',
    'has a key in _meta that begins with a line',
    result('tools/list', (r) => ({ ...r, _meta: { ...COMPLETE._meta, _tags: [] } })),
  ),
  broken(
    'meta-keys',
    'has a prefix in _meta that begins with a digit',
    result('tools/call', (r) => ({ ...r, _meta: { ...COMPLETE._meta, '3com/tags': [] } })),
  ),
  broken(
    'meta-keys',
    'has a trace of another form',
    result('tools/call', (r) => ({ ...r, _meta: { ...COMPLETE._meta, traceparent: '1' } })),
    STATELESS,
  ),
  broken(
    'icon-addresses',
    'has an icon over http',
    result('tools/list', (r) => ({
      ...r,
      tools: (r.tools as readonly Members[]).map((one) => ({
        ...one,
        icons: [{ src: 'http://example.com/icon.png' }],
      })),
    })),
  ),
  broken(
    'progress',
    'reports progress that does not increase',
    to('tools/call', (m, request) => [progressOf(tokenIn(request), 5), progressOf(tokenIn(request), 5), m]),
  ),
  broken(
    'progress',
    'reports progress with a token of its own',
    to('tools/call', (m) => [progressOf('mine', 1), m]),
  ),
  broken(
    'progress',
    'reports progress after the answer',
    to('tools/call', (m, request) => [m, progressOf(tokenIn(request), 1)]),
  ),
  like('parse-error-code', 'has another code for what is not JSON', { codes: [-32603, -32600] }),
  http('http-invalid-request-code', 'has one code for all', { codes: [-32700, -32700] }),
  http('http-batch-refused', 'accepts lists of messages', { batches: true }),
  http('http-content-type', 'reads text/plain as JSON', ignoring('content-type')),
  http('http-host', 'answers under every name', ignoring('host')),
  http('http-event-ids', 'numbers the events of each stream', { answers: 'events', numbered: true }, SESSION),
  http('http-session-ids-unguessable', 'counts its sessions', {
    sessionId: (count) => `session-number-${count}`,
  }),
  http('http-session-ids-unguessable', 'has short ids', { sessionId: (count) => `s${count}` }),
  http('http-stream-unbuffered', 'lets proxies buffer', {
    answers: 'events',
    reply: (head) => ({ ...head, headers: { ...head.headers, 'x-accel-buffering': 'yes' } }),
  }),
  broken('cache-scope-pages', 'shares only some pages', paged('tools/list'), {
    subject: { only: ['add', 'show'], pageSize: 1 },
  }),
  broken(
    'server-cancellations',
    'cancels a call of the client',
    to('tools/call', (m) => [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: m.id } },
      m,
    ]),
  ),
  broken(
    'extension-ids',
    'has an extension without a prefix',
    opened((r) => ({ ...r, capabilities: { ...(r.capabilities as Members), extensions: { ui: {} } } })),
  ),
  remembering('prompts-stable', 'forgets a prompt', () => shrinking('prompts/list', 'prompts'), {
    only: ['add'],
    offers: ['prompts'],
  }),
  remembering('resources-stable', 'forgets a resource', () => shrinking('resources/list', 'resources'), {
    only: ['add'],
    offers: ['resources'],
  }),
  broken(
    'removed-methods',
    'still knows ping',
    to('ping', ({ id }) => ({ jsonrpc: '2.0', id, result: COMPLETE })),
    {
      ...STATELESS,
    },
  ),
  broken(
    'subscription-acknowledged',
    'acknowledges no subscription',
    to('subscriptions/listen', (_m, request) => refusing(request, -32603)),
    LISTENING,
  ),
  broken(
    'subscription-acknowledged',
    'acknowledges a subscription without its id',
    to('subscriptions/listen', (m) => ({ ...m, params: { ...(m.params as Members), _meta: {} } })),
    LISTENING,
  ),
  broken(
    'subscription-acknowledged',
    'agrees to more than was asked for',
    to('subscriptions/listen', (m) => ({
      ...m,
      params: { ...(m.params as Members), notifications: { resourceSubscriptions: ['file:///a'] } },
    })),
    LISTENING,
  ),
  broken(
    'unrequested-notifications',
    'tells of changes that nobody asked for',
    to('tools/call', (m) => [{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, m]),
  ),
  like('cancelled-silent', 'answers what was cancelled', { ...PONDERING, unstoppable: true }, STDIO),
  like('cancelled-unanswered', 'answers what was cancelled', { ...PONDERING, unstoppable: true }, STDIO),
  like('path-traversal', 'reads every path', { offers: ['resources'], traversed: true }),
  broken(
    'client-info-optional',
    'asks for the name of the client',
    to('tools/list', (m, request) => {
      const meta = (paramsOf(request)._meta ?? {}) as Members;
      return m.result === undefined || meta['io.modelcontextprotocol/clientInfo'] !== undefined
        ? m
        : refusing(m, -32602);
    }),
  ),
];
