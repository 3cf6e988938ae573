import { describe, expect, it } from 'vitest';
import { judgeReport } from '../../src/check/judge-report.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Channel, Era } from '../../src/model/wire.ts';
import { checkSubject } from '../mutants/mcp/checked-subject.ts';

const PLACES: readonly (readonly [Channel, Era])[] = [
  ['stdio', 'session'],
  ['http', 'session'],
  ['stdio', 'stateless'],
  ['http', 'stateless'],
];
const TOOLS = ['ask', 'visit', 'think', 'roots'] as const;
const asking = { tools: TOOLS };
const only = ['add', ...TOOLS];
const ANSWERS = { elicitation: { name: 'Ada' }, sampling: 'Paris', roots: ['file:///srv'] };

const failed = ({ findings }: TestResult) => findings.filter(({ outcome }) => outcome === 'failed');
const outcomeOf = ({ results }: TestResult, id: string) => results.find((row) => row.id === id)?.outcome;

describe.each(PLACES)('tools that ask the client over %s in the %s era', (channel, era) => {
  it('break no rule with the default answers, and are judged again the same', async () => {
    const result = await checkSubject(channel, { era, asking, only });
    expect(failed(result)).toEqual([]);
    expect(result.verdict).toBe('pass');
    expect(outcomeOf(result, 'mcp/only-declared-asked')).toBe('passed');
    expect(result.coverage).toMatchObject({ listed: 5, exercised: 4 });
    const [left] = result.coverage?.notExercised ?? [];
    expect(left).toMatchObject({ function: 'think' });
    expect(left?.remedy).toContain('`answers` in probity.config.yaml');
    expect(await judgeReport(result)).toEqual(result);
  });

  it('get the configured answers', async () => {
    const result = await checkSubject(channel, { era, asking, only }, { answers: ANSWERS });
    expect(failed(result)).toEqual([]);
    expect(result.coverage).toMatchObject({ listed: 5, exercised: 5 });
    const said = result.samples.map(({ output }) => JSON.stringify(output)).join();
    for (const text of ['Hello, Ada!', 'You chose decline.', 'Paris', '1 roots'])
      expect(said).toContain(text);
    if (era === 'stateless') expect(outcomeOf(result, 'mcp/request-state-protected')).toBe('passed');
    expect(await judgeReport(result)).toEqual(result);
  });

  it('are not asked again without end', async () => {
    const endless = { tools: ['ask'], endless: true } as const;
    const result = await checkSubject(channel, { era, asking: endless, only: ['add', 'ask'] });
    expect(failed(result)).toEqual([]);
    const [left] = result.coverage?.notExercised ?? [];
    expect(left?.why).toContain(
      era === 'stateless' ? '"ask" still asks for input after 5 answers' : 'this client answers 100 requests',
    );
  });
});

it('a refused sample is no failure if the client refused what the tool asked for', async () => {
  const samples = { think: [{ input: {} }] };
  const result = await checkSubject('stdio', { asking: { tools: ['think'] }, only: ['add'] }, { samples });
  expect(failed(result)).toEqual([]);
});

it('answers over HTTP what is asked on the stream of a GET, of which a session has one', async () => {
  const subject = { asking, only, standing: true, era: 'session' } as const;
  const result = await checkSubject('http', subject, { answers: ANSWERS });
  expect(failed(result)).toEqual([]);
  expect(result.coverage).toMatchObject({ listed: 5, exercised: 5 });
  for (const id of ['http-get', 'form-schema', 'only-declared-asked'])
    expect([id, outcomeOf(result, `mcp/${id}`)]).toEqual([id, 'passed']);
  const main = result.conversations?.find(({ name }) => name === 'main');
  expect(main?.unasked.length).toBeGreaterThan(0);
  expect(await judgeReport(result)).toEqual(result);
});

it('does not time a tool that asks for input before it answers', async () => {
  const tools = ['ask'] as const;
  const result = await checkSubject(
    'stdio',
    { era: 'stateless', asking: { tools }, only: ['add'] },
    { latency: {} },
  );
  expect(failed(result)).toEqual([]);
  expect(result.facts.map(({ text }) => text)).toContainEqual('ask: it asks for input before it answers');
});
