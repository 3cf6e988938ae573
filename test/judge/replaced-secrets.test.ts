import { describe, expect, it } from 'vitest';
import type { JudgedAssertion } from '../../src/judge/judge-context.ts';
import { replacedIn, undecidedIfReplaced } from '../../src/judge/replaced-secrets.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { failed, passed } from '../../src/model/judgement.ts';
import type { Step } from '../../src/model/suite.ts';
import type { RunRecord } from '../../src/run/state/record.ts';
import { heard, notification, ok, posted, request, unasked } from '../checks/messages.ts';
import { inputOf, ran, stepOf } from './judging.ts';

const step = stepOf(
  '- { id: a, request: { alive: true }, expect: { body: [{ at: $.name, is: { const: a }, id: ok }] } }',
);
const ofKind = stepOf('- { id: b, request: { alive: true }, expect: { outcome: { is: result, id: ok } } }');

function recordOf(exchange: Exchange, parts: Partial<RunRecord> = {}): RunRecord {
  return { ...inputOf([ran(step, { exchanges: [exchange] })]).record, ...parts };
}

/** What is found in a run with this record. */
function judged(
  record: RunRecord,
  finding: JudgedAssertion['finding'],
  exchange: Exchange | null = null,
  { expect: [assertion] }: Step = step,
) {
  if (assertion === undefined) throw new Error('no assertion');
  return undecidedIfReplaced({ assertion, instance: null, exchange, finding }, replacedIn(record)).finding;
}

const wrong = (received: string) => failed({ message: 'it is wrong', expected: 'another name', received });
const repeating = { repeatedSecrets: ['KEY'] };
const REPEATED = heard(request(), [ok({ name: '$KEY' })], repeating);

describe('a failure that shows a replaced secret', () => {
  it('is undecided, and says which variable to give in another way', () => {
    expect(judged(recordOf(REPEATED), wrong('"$KEY"'))).toMatchObject({
      outcome: 'undecided',
      fault: 'harness',
      message: 'it is wrong',
      received: '"$KEY"',
      advice: expect.stringContaining('The value of the variable KEY may be secret') as unknown,
    });
  });

  it('is undecided over HTTP, and of what nobody waited for', () => {
    const overHttp = posted(request(), { value: ok({ name: '$KEY' }), repeatedSecrets: ['KEY'] });
    expect(judged(recordOf(overHttp), wrong('"$KEY"')).outcome).toBe('undecided');
    const conversations = unasked(notification('notifications/$KEY')).map((one) => ({
      ...one,
      unasked: one.unasked.map((line) => ({ ...line, ...repeating })),
    }));
    const record = recordOf(heard(request(), [ok()]), { conversations });
    expect(judged(record, wrong('notifications/$KEY')).outcome).toBe('undecided');
  });

  it('is undecided if only its exchange, or a schema of a function, has it', () => {
    expect(judged(recordOf(REPEATED), wrong('nothing'), REPEATED).outcome).toBe('undecided');
    const list = (name: string) => new Map([['functions', [{ name: 'add', [name]: { const: '$KEY' } }]]]);
    expect(judged(recordOf(REPEATED, { saved: list('parameters') }), wrong('nothing')).outcome).toBe(
      'undecided',
    );
    // Prose decides nothing.
    expect(judged(recordOf(REPEATED, { saved: list('description') }), wrong('nothing')).outcome).toBe(
      'failed',
    );
  });
});

describe('a failure that only the kind of an answer shows', () => {
  it('stays, although the answer repeats a secret', () => {
    expect(judged(recordOf(REPEATED), wrong('"$KEY"'), REPEATED, ofKind).outcome).toBe('failed');
  });

  it('is undecided if what was sent has the secret, or a schema', () => {
    const named = heard(request('tools/call', { name: '$KEY' }), [ok({ name: '$KEY' })], repeating);
    expect(judged(recordOf(named), wrong('"$KEY"'), named, ofKind).outcome).toBe('undecided');
    const saved = new Map([['functions', [{ name: 'add', parameters: { const: '$KEY' } }]]]);
    expect(judged(recordOf(REPEATED, { saved }), wrong('nothing'), REPEATED, ofKind).outcome).toBe(
      'undecided',
    );
  });
});

describe('any other finding', () => {
  it('stays as it is', () => {
    expect(judged(recordOf(REPEATED), passed)).toEqual(passed);
    expect(judged(recordOf(REPEATED), wrong('nothing')).outcome).toBe('failed');
    // The start of another variable.
    expect(judged(recordOf(REPEATED), wrong('$KEYS')).outcome).toBe('failed');
    // Nothing was replaced: the server sent this text.
    expect(judged(recordOf(heard(request(), [ok()])), wrong('$KEY')).outcome).toBe('failed');
  });
});
