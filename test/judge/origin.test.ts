import { expect, it } from 'vitest';
import { attributed } from '../../src/judge/origin.ts';
import { failed, inconclusive } from '../../src/model/judgement.ts';
import { answer } from '../checks/example.ts';

const EVIDENCE = {
  message: 'the body is nested too deeply',
  expected: 'JSON',
  received: 'more than 256 levels',
};

it('blames the bridge for a failure in what it makes, but not for a limit of the harness', () => {
  const exchange = answer({ value: {} });
  const judged = (finding: Parameters<typeof attributed>[0]) =>
    attributed(finding, 'execute/json-object', 'bridge', exchange, true);
  expect(judged(failed(EVIDENCE))).toMatchObject({ outcome: 'inconclusive', fault: 'bridge' });
  expect(judged(inconclusive(EVIDENCE))).toMatchObject({ outcome: 'inconclusive', fault: 'harness' });
});
