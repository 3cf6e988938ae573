import { expect, it } from 'vitest';
import type { TransportFailureCode } from '../../src/model/exchange.ts';
import { unansweredFacts } from '../../src/report/facts.ts';
import type { StepRun } from '../../src/run/state/record.ts';

function callsOf(...codes: readonly (TransportFailureCode | 'answered')[]): StepRun {
  const call = { functionName: 'paint', input: { colour: 'blue' }, inputSource: 'sample' };
  const exchanges = codes.map((code) =>
    code === 'answered' ? { kind: 'heard' } : { kind: 'unanswered', reason: { code } },
  );
  return {
    kind: 'ran',
    step: { request: { kind: 'execute' } },
    instances: [{ call, exchanges }],
  } as unknown as StepRun;
}

it('counts only the calls that the server answered, or had time to answer', () => {
  const [fact] = unansweredFacts({ steps: [callsOf('answered', 'timeout', 'deadline', 'not-running')] });
  expect(fact?.text).toContain('"paint" gave no answer in time to 1 of 2 calls');
});

it('is silent about a tool that answered nothing', () => {
  expect(unansweredFacts({ steps: [callsOf('timeout', 'deadline')] })).toEqual([]);
});
