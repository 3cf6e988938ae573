// Tools of the subject that ask the client: for a form, an address, a model or its roots, in the words of both eras.
import { createHash } from 'node:crypto';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const object = { type: 'object', properties: {} };
const FORM = {
  mode: 'form',
  message: 'Who is it?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'A name', default: 'Ada' },
      colour: { type: 'string', enum: ['red', 'blue'] },
      days: { type: 'array', items: { anyOf: [{ const: 'mo', title: 'Monday' }] } },
    },
    required: ['name'],
  },
};
const ADDRESS = { mode: 'url', message: 'Sign in.', url: 'https://example.com/sign-in' };
const PROMPT = {
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 10,
};
const REQUESTS = {
  ask: { method: 'elicitation/create', params: FORM },
  visit: { method: 'elicitation/create', params: ADDRESS },
  think: { method: 'sampling/createMessage', params: PROMPT },
  roots: { method: 'roots/list', params: {} },
};
const NEEDED = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};
const signed = (state) =>
  `${state}.${createHash('sha256').update(`key ${state}`).digest('hex').slice(0, 12)}`;
const isSigned = (state) => typeof state === 'string' && signed(state.split('.')[0]) === state;

/** What a tool says when it has its answer. */
function answered(name, result) {
  if (name === 'ask')
    return text(
      result.action === 'accept' ? `Hello, ${result.content.name}!` : `You chose ${result.action}.`,
    );
  if (name === 'visit') return text(`You chose ${result.action}.`);
  return text(name === 'think' ? result.content.text : `${result.roots.length} roots`);
}

/**
 * Tools by name. `change` changes what they ask, `always` asks without a look at the capabilities, and `faults` names
 * what they do wrong with answers.
 */
export function askingTools(
  { tools = ['ask'], change = (request) => request, always = false, endless = false, faults = [] },
  { era, refuse },
) {
  const requestOf = (name) => {
    const { method, params } = REQUESTS[name];
    const withId = era === 'session' && name === 'visit' ? { elicitationId: 'one', ...params } : params;
    return change({ method, params: withId }, name);
  };
  const inSession = async (name, { capabilities, ask }) => {
    const request = requestOf(name);
    if (!always && capabilities[NEEDED[REQUESTS[name].method]] === undefined)
      return { ...text(`needs ${request.method}`), isError: true };
    let { result, error } = await ask(request);
    while (endless && error === undefined) ({ result, error } = await ask(request));
    return error === undefined ? answered(name, result) : { ...text(error.message), isError: true };
  };
  const stateless = (name, { capabilities, params }) => {
    const request = requestOf(name);
    const needed = NEEDED[REQUESTS[name].method];
    if (!always && capabilities[needed] === undefined) {
      if (faults.includes('silent')) return { ...text('cannot ask'), isError: true };
      const data = faults.includes('vague') ? {} : { requiredCapabilities: { [needed]: {} } };
      return refuse(-32021, 'a capability is missing', data, faults.includes('served') ? 200 : 400);
    }
    const { inputResponses: given, requestState } = params;
    const question = {
      resultType: faults.includes('untyped') ? undefined : 'input_required',
      inputRequests: { [name]: request },
      requestState: signed('c3RhdGUtb2YtdGhlLWNhbGw'),
    };
    if (endless || (given === undefined && requestState === undefined)) return question;
    if (!isSigned(requestState) && !faults.includes('trusting'))
      return refuse(-32602, 'the state was changed');
    const answer = given?.[name];
    if (faults.includes('strict') && Object.keys(given ?? {}).length > 1)
      return refuse(-32602, 'too many answers');
    if (answer === undefined) return faults.includes('final') ? refuse(-32602, 'no answer') : question;
    if (faults.includes('credulous') && typeof answer === 'string') return text('Whatever you say.');
    if (typeof answer !== 'object') return refuse(-32602, 'the answer is no object');
    return answered(name, answer);
  };
  return Object.fromEntries(
    tools.map((name) => [
      name,
      {
        description: `Asks the client (${name}).`,
        inputSchema: object,
        annotations: { readOnlyHint: true },
        run: (_input, client) => (era === 'session' ? inSession : stateless)(name, client),
      },
    ]),
  );
}
