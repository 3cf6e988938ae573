import { expect, it } from 'vitest';
import { renderTerminal } from '../../src/report/terminal/terminal.ts';
import { checkSubject } from '../mutants/mcp/checked-subject.ts';
import type { Change } from './http-subject.ts';
import type { Message } from './subject-options.ts';

const object = (properties: object): object => ({ type: 'object', properties });
const text = (description: string): object => ({ type: 'string', description });

/** Every value of it has another one in it. */
const endless = {
  ...object({ part: { $ref: '#/$defs/part', description: 'What to draw.' } }),
  required: ['part'],
  $defs: { part: { ...object({ part: { $ref: '#/$defs/part' } }), required: ['part'] } },
};

const TOOLS = [
  ['hello', 'Greets.', object({})],
  ['math', 'Evaluates an expression.', object({ expression: text('What to evaluate.') })],
  ['find-places', 'Finds a place near a path.', object({ path: text('Where to look.') })],
  ['find-shapes', 'Finds the shapes of an index.', object({})],
  [
    'find-roads',
    'Finds a road.',
    { ...object({ lane: { type: 'integer', description: 'A lane.' } }), required: [] },
  ],
  ['draw', 'Draws a part.', endless],
  ['deploy', 'Deploys, after it asked which environment.', object({ name: text('What to deploy.') })],
] as const;

type Refusal = readonly [isError: true, text: string] | { readonly code: number; readonly data?: object };

/** Why a tool refuses the call; null if it does not. */
function refusalOf(name: unknown, input: object): Refusal | null {
  if (name === 'hello' || (name === 'math' && 'expression' in input && typeof input.expression === 'string'))
    return null;
  if (name === 'math') return [true, 'expression is required'];
  if (name === 'find-places') return [true, 'Specify a path that exists.'];
  if (name === 'find-roads') return [true, 'lane must be an integer'];
  if (name === 'find-shapes') return [true, 'Set SHAPE_INDEX_URL to the address of an index.'];
  return { code: -32021, data: { requiredCapabilities: { elicitation: {} } } };
}

const change: Change = (message, { method, params }: Message) => {
  const tools = TOOLS.map(([name, description, inputSchema]) => ({ name, description, inputSchema }));
  if (method === 'tools/list' && message.result !== undefined)
    return { ...message, result: { ...(message.result as object), tools, nextCursor: undefined } };
  const { name, arguments: input = {} } = (params ?? {}) as { name?: unknown; arguments?: object };
  if (method !== 'tools/call' || !TOOLS.some(([known]) => known === name)) return message;
  // It waits for somebody to come along.
  if (name === 'find-roads' && !('lane' in input)) return new Promise(() => undefined);
  const refusal = refusalOf(name, input);
  if (refusal !== null && 'code' in refusal)
    return {
      jsonrpc: '2.0',
      id: message.id,
      error: { message: 'A client with elicitation is needed.', ...refusal },
    };
  const content = [{ type: 'text', text: refusal?.[1] ?? 'done' }];
  const isError = refusal !== null;
  return { jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', content, isError } };
};

it('says of each tool that was not exercised which sample, variable or capability it needs', async () => {
  const result = await checkSubject('stdio', { era: 'stateless', change });
  const { listed, exercised, notExercised = [] } = result.coverage ?? {};
  expect([listed, exercised]).toEqual([7, 2]);
  const remedies = Object.fromEntries(notExercised.map((one) => [one.function, one]));
  expect(remedies['find-places']).toMatchObject({
    why: expect.stringContaining('Specify a path that exists.') as unknown,
    sample: expect.stringMatching(/^"find-places": \[\{ input: \{"path":/) as unknown,
  });
  // Not the input of the wrong type, which came later.
  expect(remedies['find-roads']).toEqual({
    function: 'find-roads',
    why: 'no answer within 5 s',
    remedy: expect.stringContaining('--timeout') as unknown,
  });
  expect(remedies['find-shapes']?.remedy).toBe(
    'If the command reads the variable SHAPE_INDEX_URL, pass it with --env SHAPE_INDEX_URL.',
  );
  expect(remedies.draw).toEqual({
    function: 'draw',
    why: expect.stringContaining('no input that the declared parameters of "draw" accept') as unknown,
    remedy: 'Add examples to the inputSchema, or an input under samples: "draw" in probity.config.yaml.',
  });
  expect(remedies.deploy).toMatchObject({
    why: expect.stringContaining('needs a client with the capability elicitation') as unknown,
    remedy: expect.stringContaining(
      'A check declares elicitation, sampling without tools, and roots',
    ) as unknown,
  });
  expect(result.facts.map(({ text: said }) => said)).toContain(
    '"math" accepted its optional parameters, after it refused a call without them',
  );
  expect(result.findings.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)).toEqual([]);
  const shown = renderTerminal(result, { detail: 'full' });
  expect(shown).toContain('2 of 7 tools exercised');
  expect(shown).toMatch(/^ {2}alive {2}/m);
  expect(shown).not.toContain('health');
});

it('says with the verdict that a tool did not answer some valid inputs, which no requirement counts', async () => {
  const colour = { type: 'string', enum: ['red', 'blue'], description: 'What to paint with.' };
  const inputSchema = { ...object({ colour }), required: ['colour'], additionalProperties: false };
  const tools = [{ name: 'paint', description: 'Paints a wall.', inputSchema }];
  const result = await checkSubject('stdio', {
    era: 'stateless',
    change: (message, { method, params }: Message) => {
      if (method === 'tools/list' && message.result !== undefined)
        return { ...message, result: { ...(message.result as object), tools, nextCursor: undefined } };
      const { name, arguments: input = {} } = (params ?? {}) as {
        name?: unknown;
        arguments?: { readonly colour?: unknown };
      };
      if (method !== 'tools/call' || name !== 'paint') return message;
      if (input.colour === 'blue') return [];
      const isError = input.colour !== 'red';
      const content = [{ type: 'text', text: isError ? 'colour must be red or blue' : 'done' }];
      return { jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', content, isError } };
    },
  });
  expect(result).toMatchObject({ verdict: 'pass' });
  expect(result.facts.find(({ name }) => name === 'unanswered')?.text).toMatch(
    /^"paint" gave no answer in time to \d+ of \d+ calls with valid inputs, such as \{"colour":"blue"\}/,
  );
  expect(renderTerminal(result)).toMatch(/PASS[\s\S]*no answer: "paint" gave no answer in time/);
});
