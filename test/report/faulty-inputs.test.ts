import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { faultyInputs, suiteOf } from '../../src/report/faulty-inputs.ts';
import { answer } from '../checks/example.ts';
import { finding, resultOf } from './results.ts';

/** A call of the sequence `sequence-1`, with its result; the last one fails. */
function call(place: number, name: string, parameters: JsonObject, returned?: Json): Exchange {
  const answered = returned === undefined ? { status: 502 } : { value: { result: returned } };
  return answer({
    ...answered,
    key: `inputs/sequences[${name}]@B%sequence-1-${place}#0`,
    request: { body: { text: JSON.stringify({ function: name, parameters }) } },
  });
}

function faultsIn(...exchanges: readonly Exchange[]) {
  const last = exchanges.at(-1)?.request.key ?? '';
  const where = { suite: 's', line: 1, column: 1, step: 'inputs/sequences', function: 'f', exchange: last };
  return faultyInputs(
    resultOf([], { exchanges, findings: [finding('inputs/sequences-answered', { where })] }),
  );
}

describe('a faulty sequence', () => {
  it('names what a call takes from an earlier result, and no number that is equal by chance', () => {
    const [fault] = faultsIn(
      call(1, 'addNote', { title: 'a' }, { id: 7, position: 1 }),
      call(2, 'shareNote', { noteId: 7, copies: 1, title: 'a' }, {}),
      call(3, 'getNote', { noteId: 7 }),
    );
    expect(fault?.after.map(({ from }) => from)).toEqual([{}, { noteId: { call: 1, at: '/id' } }]);
    expect(fault).toMatchObject({ function: 'getNote', from: { noteId: { call: 1, at: '/id' } } });
  });

  it('is written with a name of its own for each saved value', () => {
    const faults = faultsIn(
      call(1, 'addPair', {}, { 'a-b': 'first', a_b: 'second' }),
      call(2, 'join', { left: 'first', right: 'second' }),
    );
    const text = suiteOf(faults) ?? '';
    expect(new Set(text.match(/^ {6}\w+(?=: \{ at)/gm)).size).toBe(2);
    expect(text).toContain('arguments: {"left":"${fault1Value1}","right":"${fault1Value2}"}');
  });

  it('has no suite if a name could be read as a reference', () => {
    const faults = faultsIn(call(1, 'addNote', { title: '${health}' }, {}), call(2, 'getNote', {}));
    expect(suiteOf(faults)).toBeNull();
  });
});
