import type { SubjectOptions } from '../../mcp/subject-options.ts';
import { like, type More, type Mutant, STATELESS } from './mcp-mutants.ts';

type Asking = NonNullable<SubjectOptions['asking']>;

/** Of a server that adds, and has tools which ask the client. */
const asking = (requirement: string, what: string, options: Asking, more: More = {}): Mutant =>
  like(requirement, what, { asking: options }, more);

/** Changes the parameters of what it asks for. */
const asks = (
  requirement: string,
  what: string,
  tool: 'ask' | 'visit' | 'think',
  params: Readonly<Record<string, unknown>>,
  more: More = {},
): Mutant =>
  asking(
    requirement,
    what,
    { tools: [tool], change: (request) => ({ ...request, params: { ...request.params, ...params } }) },
    more,
  );

const form = (properties: unknown): Readonly<Record<string, unknown>> => ({
  requestedSchema: { type: 'object', properties },
});
const wrongly = (
  requirement: string,
  what: string,
  fault: NonNullable<Asking['faults']>[number],
  more: More = {},
) => asking(requirement, what, { faults: [fault] }, { ...STATELESS, ...more });

/** Servers that ask their client wrongly, or take its answers wrongly. */
export const CLIENT_MUTANTS: readonly Mutant[] = [
  asking('only-declared-asked', 'asks for a form whatever the client declares', { always: true }),
  asking('only-declared-asked', 'asks for its roots whatever the client declares', {
    tools: ['roots'],
    always: true,
  }),
  asks('only-declared-asked', 'asks for a model with tools', 'think', { tools: [] }),
  asks(
    'form-schema',
    'asks for an object in a form',
    'ask',
    form({ who: { type: 'object', properties: {} } }),
  ),
  asks(
    'form-schema',
    'asks with a number as default of a text',
    'ask',
    form({ who: { type: 'string', default: 7 } }),
  ),
  asks('form-schema', 'asks without a message', 'ask', { message: undefined }),
  asks('form-without-secrets', 'asks for a password', 'ask', form({ password: { type: 'string' } })),
  asks('form-without-secrets', 'asks for a key', 'ask', form({ api_key: { type: 'string' } })),
  asks('elicitation-url', 'sends to what is no address', 'visit', { url: 'sign in' }),
  asks('elicitation-url-secure', 'sends to an address without encryption', 'visit', {
    url: 'http://example.com/',
  }),
  asks('sampling-request', 'asks for a model without maxTokens', 'think', { maxTokens: undefined }),
  asks('sampling-request', 'asks for a model in the role of the system', 'think', {
    messages: [{ role: 'system', content: { type: 'text', text: 'Be kind.' } }],
  }),
  wrongly('missing-capability', 'does not say that it needs a capability', 'silent'),
  wrongly('missing-capability', 'does not say which capability it needs', 'vague', {
    also: { 'mcp/valid-messages': 'the schema of this error requires it' },
  }),
  wrongly('missing-capability', 'says it with status 200', 'served', { channel: 'http' }),
  wrongly('input-asked-again', 'refuses a call without the answer', 'final'),
  wrongly('unknown-input-ignored', 'refuses what it did not ask for', 'strict'),
  wrongly('malformed-input-refused', 'believes a text', 'credulous'),
  wrongly('request-state-protected', 'believes the state', 'trusting', {
    options: { answers: { elicitation: { name: 'Ada' } } },
  }),
];
