import type { Json } from '../../src/json/json.ts';
import type { Header } from '../../src/model/exchange.ts';
import { call, type Example, fails, noAnswer, passes, undecided } from './example.ts';
import { asked, error, heard, ok, posted, request, SESSION } from './messages.ts';

// What findings about servers of the Model Context Protocol say: in its words, and what to change.

const JSON_TYPE: Header = ['content-type', 'application/json'];
const STREAM: Header = ['content-type', 'text/event-stream'];
const OTHER = 'a revision that the server speaks instead of "1999-01-01" (string), or an error';
const ACCEPTED = 'the server accepts a revision of the protocol that does not exist';

/** A tool as the steps know it. */
const item: Json = {
  name: 'add',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
  returns: { type: 'object', properties: { sum: { type: 'number' } } },
};
const calling = (name: string, input: Record<string, Json>) =>
  request('tools/call', { name, arguments: input });
const result = ok({ content: [], structuredContent: { sum: '2' } });
const listed = ok({ tools: [{ name: 'add', inputSchema: { type: 'object', properties: { a: {} } } }] });

const events = (...messages: readonly Json[]) =>
  posted(request(), {
    headers: [STREAM],
    body: { text: messages.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('') },
    stream: { answeredAtMs: 5, closedBy: 'server' },
  });

export const examplesOfMcpWords: readonly Example[] = [
  {
    check: 'result-matches-returns',
    what: 'a result in the words of the protocol',
    given: { value: result, exchange: heard(calling('add', {}), [result]), item, call: call(), form: 'mcp' },
    finds: fails({
      message: 'structuredContent is not what outputSchema declares',
      pointer: '/result/structuredContent/sum',
    }),
  },
  {
    check: 'sequence-answered',
    what: 'a result in the words of the protocol',
    given: {
      exchange: heard(calling('add', {}), [result]),
      item,
      call: call({ inputSource: 'in-sequence' }),
      form: 'mcp',
    },
    finds: fails({ message: 'the structuredContent of "add" is not what outputSchema declares' }),
  },
  {
    check: 'invalid-input-refused',
    what: 'an input in the words of the protocol',
    given: {
      exchange: heard(calling('add', { a: 'x' }), [ok({ content: [] })]),
      item,
      call: call({ inputSource: 'explored-invalid', input: { a: 'x' } }),
      form: 'mcp',
    },
    finds: fails({
      message:
        '"add" accepts an input that its inputSchema does not allow: /a: expected a number, received "x" (string)',
    }),
  },
  {
    check: 'answered',
    what: 'a call for which no input is known, with what to give',
    given: {
      exchange: noAnswer({ code: 'no-valid-input', fault: 'harness', message: 'no input is known' }),
      call: call({ form: 'mcp' }),
    },
    finds: undecided({
      advice: 'Add examples to the inputSchema, or an input under samples: "add" in probity.config.yaml.',
    }),
  },
  {
    check: 'properties-typed',
    what: 'a parameter in the words of the protocol',
    given: { value: listed, options: { in: 'parameters' }, form: 'mcp' },
    finds: fails({ message: 'tool "add": "a" in inputSchema has no type' }),
  },
  ...(
    [
      ['another revision', ok({ protocolVersion: '2025-11-25' }), passes],
      ['an error', error(-32602), passes],
      ['no revision', ok({}), fails({ expected: OTHER, received: 'nothing' })],
      [
        'the revision that was requested',
        ok({ protocolVersion: '1999-01-01' }),
        fails({ message: ACCEPTED, expected: OTHER, received: '"1999-01-01" (string)' }),
      ],
    ] as const
  ).map(([what, value, finds]): Example => {
    const opening = request('initialize', { protocolVersion: '1999-01-01' });
    return {
      check: 'other-version-answered',
      what,
      given: { value, exchange: posted(opening, { value }) },
      finds,
    };
  }),
  {
    check: 'ids-returned',
    what: 'two events with the same answer, for which another fix is needed',
    given: asked(events(ok(), ok())),
    finds: fails({
      message: 'a request was answered twice',
      expected: 'one answer for each request, with its id',
      advice:
        'Send one answer for each request: look for a handler that writes its answer and also returns it, and for a listener that is added twice.',
    }),
  },
  {
    check: 'only-messages',
    what: 'a list of messages, for which another fix is needed',
    given: asked(posted(request(), { headers: [JSON_TYPE], body: { text: JSON.stringify([ok()]) } })),
    finds: fails({
      advice:
        'Send each message of the list on its own: a line, an event or a body for each. Only revision 2025-03-26 has lists of messages.',
    }),
  },
  {
    check: 'valid-messages',
    what: 'a member of the wrong type, which the fix names',
    given: {
      ...asked(
        posted(request('tools/list'), {
          value: ok({ tools: [{ name: 'a', title: null, inputSchema: { type: 'object' } }] }),
        }),
      ),
      opened: SESSION,
    },
    finds: fails({
      pointer: '/result/tools/0/title',
      advice:
        'Make `/result/tools/0/title` a string, or leave it out. Serialise from types of the protocol, such as those of an SDK, so that the compiler finds such a member.',
    }),
  },
];
