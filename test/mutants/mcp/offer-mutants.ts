import type { Change } from '../../mcp/http-subject.ts';
import type { Message, Offer } from '../../mcp/subject-options.ts';
import {
  broken,
  COMPLETE,
  hasCode,
  LOG,
  like,
  type Members,
  type More,
  type Mutant,
  paramsOf,
  refusing,
  result,
  SESSION,
  STATELESS,
  to,
  without,
} from './mcp-mutants.ts';

/** Of a server that also offers this. */
const offering =
  (...offers: readonly Offer[]) =>
  (
    requirement: string,
    what: string,
    change: Change,
    more: More & { readonly pageSize?: number } = {},
  ): Mutant => {
    const { pageSize = 100, ...rest } = more;
    return broken(requirement, what, change, { ...rest, subject: { offers, pageSize } });
  };
const prompting = offering('prompts');
const sharing = offering('resources');
const completing = offering('prompts', 'resources', 'completions');
const logging = offering('logging');

const served = ({ id }: Message, more: object): unknown => ({
  jsonrpc: '2.0',
  id,
  result: { ...COMPLETE, ...more },
});
/** Serves what it does not have. */
const pretending = (method: string, more: object): Change =>
  to(method, (m) => (m.error === undefined ? m : served(m, more)));
const recoding = (method: string, code: number, isMeant = (_request: Message): boolean => true): Change =>
  to(method, (m, request) => (m.error !== undefined && isMeant(request) ? refusing(m, code) : m));
const isPrompt =
  (name: string) =>
  (request: Message): boolean =>
    paramsOf(request).name === name;
const ignoringCursors =
  (member: string): Change =>
  (m, request) =>
    hasCode(m, -32602) && paramsOf(request).cursor !== undefined
      ? served(m, { [member]: [], ttlMs: 0, cacheScope: 'private' })
      : m;
/** Changes the content of each message of a prompt. */
const content = (change: (one: Members) => unknown): Change =>
  result('prompts/get', (r) => ({
    ...r,
    messages: (r.messages as readonly Members[]).map((one) => ({
      ...one,
      content: change(one.content as Members),
    })),
  }));

/** Servers that break a rule about prompts, resources, completion or logging. */
export const OFFER_MUTANTS: readonly Mutant[] = [
  prompting(
    'prompts-listed',
    'lists no prompts',
    result('prompts/list', (r) => without(r, 'prompts')),
  ),
  prompting(
    'prompts-listed',
    'does not know prompts/list',
    to('prompts/list', (m) => refusing(m, -32601)),
  ),
  prompting(
    'list-pages',
    'repeats the cursor of its prompts',
    result('prompts/list', (r) => ({ ...r, nextCursor: '1' })),
    { pageSize: 2 },
  ),
  prompting(
    'unknown-cursor',
    'ignores unknown cursors of prompts',
    to('prompts/list', ignoringCursors('prompts')),
    { pageSize: 1 },
  ),
  prompting(
    'prompts-served',
    'does not know its own prompts',
    to('prompts/get', (m) => refusing(m, -32602)),
  ),
  prompting(
    'prompts-served',
    'refuses one of its prompts',
    to('prompts/get', (m, request) => (isPrompt('picture')(request) ? refusing(m, -32602) : m)),
  ),
  prompting(
    'unknown-prompt',
    'refuses an unknown prompt with an error of its own',
    recoding('prompts/get', -32603, isPrompt('probity_unknown_prompt')),
  ),
  prompting('unknown-prompt', 'has every prompt', pretending('prompts/get', { messages: [] }), {
    also: { 'mcp/prompt-arguments-required': 'it serves them without arguments too' },
  }),
  prompting(
    'prompt-arguments-required',
    'refuses a prompt without its argument with an error of its own',
    recoding('prompts/get', -32603, isPrompt('review')),
  ),
  prompting(
    'binary-data',
    'sends an image as an address',
    content((one) => (one.type === 'image' ? { ...one, data: `data:image/png;base64,${one.data}` } : one)),
  ),
  prompting(
    'binary-data',
    'gives a file extension as the type of an image',
    content((one) => (one.type === 'image' ? { ...one, mimeType: 'png' } : one)),
  ),
  prompting(
    'binary-data',
    'embeds a blob that is text',
    content((one) =>
      one.type === 'resource' ? { ...one, resource: { ...(one.resource as Members), blob: 'Ünï' } } : one,
    ),
  ),
  like('cache-fields', 'does not say for how long its prompts hold', {
    offers: ['prompts'],
    change: result('prompts/list', (r) => without(r, 'ttlMs')),
  }),
  sharing(
    'resources-listed',
    'lists no resources',
    result('resources/list', (r) => without(r, 'resources')),
  ),
  sharing(
    'list-pages',
    'refuses its own cursor of templates',
    to('resources/templates/list', (m, request) =>
      paramsOf(request).cursor === undefined
        ? { ...m, result: { ...(m.result as Members), nextCursor: 'more' } }
        : refusing(m, -32602),
    ),
  ),
  sharing(
    'unknown-cursor',
    'ignores unknown cursors of resources',
    to('resources/list', ignoringCursors('resources')),
    { pageSize: 1 },
  ),
  sharing(
    'resource-uris',
    'lists a path',
    result('resources/list', (r) => ({
      ...r,
      resources: [...(r.resources as []), { uri: 'notes.txt', name: 'a' }],
    })),
    { also: { 'mcp/resources-served': 'it does not know the path' } },
  ),
  sharing(
    'resource-templates',
    'leaves a brace open',
    result('resources/templates/list', (r) => ({
      ...r,
      resourceTemplates: [{ uriTemplate: 'file:///{day', name: 'a' }],
    })),
  ),
  sharing(
    'resources-served',
    'does not know its own resources',
    to('resources/read', (m) => (m.result === undefined ? m : refusing(m, -32602))),
  ),
  sharing(
    'unknown-resource',
    'has an empty resource for every address',
    pretending('resources/read', { contents: [], ttlMs: 0, cacheScope: 'private' }),
    STATELESS,
  ),
  sharing(
    'unknown-resource',
    'refuses with an error of its own',
    recoding('resources/read', -32603),
    STATELESS,
  ),
  sharing('unknown-resource-code', 'refuses with an error of its own', recoding('resources/read', -32603)),
  sharing(
    'unknown-resource-code',
    'has an empty resource for every address',
    pretending('resources/read', { contents: [] }),
    SESSION,
  ),
  sharing(
    'resource-subscriptions',
    'does not know resources/subscribe',
    to('resources/subscribe', (m) => refusing(m, -32601)),
  ),
  sharing(
    'resource-subscriptions',
    'does not know resources/unsubscribe',
    to('resources/unsubscribe', (m) => refusing(m, -32601)),
  ),
  sharing(
    'binary-data',
    'sends a picture as its bytes',
    result('resources/read', (r) => ({
      ...r,
      contents: (r.contents as readonly Members[]).map((one) =>
        one.blob === undefined ? one : { ...one, blob: '\u0089PNG\r\n' },
      ),
    })),
  ),
  completing(
    'completions-answered',
    'does not know completion/complete',
    to('completion/complete', (m) => refusing(m, -32601)),
    { also: { 'mcp/unknown-completion': 'it refuses that one with the same error' } },
  ),
  completing(
    'completion-values',
    'returns 101 values',
    result('completion/complete', (r) => ({
      ...r,
      completion: { values: Array.from({ length: 101 }, (_, index) => String(index)) },
    })),
  ),
  completing(
    'unknown-completion',
    'completes prompts that it does not have',
    pretending('completion/complete', { completion: { values: [] } }),
  ),
  logging(
    'logging-level',
    'knows no level',
    to('logging/setLevel', (m) => refusing(m, -32602)),
  ),
  logging('unknown-log-level', 'accepts every level', pretending('logging/setLevel', {})),
  broken(
    'logging-capability',
    'logs without saying that it does',
    to('tools/call', (m) => [LOG, m]),
    SESSION,
  ),
];
