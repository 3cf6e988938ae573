import { expect, it } from 'vitest';
import { attributed, originsWith } from '../../src/judge/origin.ts';
import { failed, undecided } from '../../src/model/judgement.ts';
import { CONTENT_RESULT } from '../../src/model/tool-result.ts';
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
  expect(judged(failed(EVIDENCE))).toMatchObject({ outcome: 'undecided', fault: 'bridge' });
  expect(judged(undecided(EVIDENCE))).toMatchObject({ outcome: 'undecided', fault: 'harness' });
});

it('judges declared results only for functions whose tool declares them', () => {
  const originOf = originsWith([
    { name: 'declaring', returns: { type: 'object', properties: {} } },
    { name: 'plain', returns: CONTENT_RESULT },
  ]);
  const row = 'execute/result-keys-declared';
  expect([originOf(row), originOf(row, 'declaring'), originOf(row, 'plain')]).toEqual([
    'server',
    'server',
    'bridge',
  ]);
  const finding = attributed(failed(EVIDENCE), row, 'bridge', answer({ value: {} }), true);
  expect(finding).toMatchObject({ outcome: 'inapplicable' });
});

it('does not decide what the bridge makes from an error of the protocol', () => {
  const exchange = answer({ status: 502, value: { error: { code: 'PROTOCOL_ERROR', message: 'busy' } } });
  const judged = (origin: 'bridge' | 'server') =>
    attributed(failed(EVIDENCE), 'execute/request-id-echo', origin, exchange, true);
  expect(judged('bridge')).toMatchObject({ outcome: 'undecided', fault: 'server' });
  expect(judged('server')).toMatchObject({ outcome: 'failed', fault: 'server' });
});
