import { describe, expect, it } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { type Consumer, learnedInputs } from '../../src/inputs/learned-inputs.ts';
import { type ObservedCall, observedCall } from '../../src/inputs/observed-values.ts';
import type { JsonObject } from '../../src/json/json.ts';

const schemas = createSchemaEvaluator();
const UUID = '7d444840-9dc0-11d1-b245-5ffdce74fad2';

function functionOf(name: string, properties: Record<string, JsonObject>): JsonObject {
  return { name, parameters: { type: 'object', properties, required: Object.keys(properties) } };
}

function inputsFor(
  descriptor: JsonObject,
  refused: JsonObject,
  calls: readonly ObservedCall[],
  more: Partial<Consumer> = {},
): readonly JsonObject[] {
  const consumer = { descriptor, refused, onlyOwn: false, producers: {}, ...more };
  return learnedInputs(consumer, calls, schemas).map(({ input }) => input);
}

const text = { type: 'string' };
const created = observedCall('createNote', { title: 'Milk' }, { id: UUID, title: 'Milk' }, true);
const listed = observedCall('listNotes', {}, { notes: [{ id: 'n-1', title: 'Old' }] }, false);

describe('values of other calls', () => {
  it.each([
    ['the same name', 'getNote', { id: text }, { id: 'x' }, { id: UUID }],
    ['an id of what the parameter names', 'share', { noteId: text }, { noteId: 'x' }, { noteId: UUID }],
    ['another way to write the name', 'share', { note_id: text }, { note_id: 'x' }, { note_id: UUID }],
    ['a list of ids', 'getNotes', { ids: { type: 'array', items: text } }, { ids: ['x'] }, { ids: [UUID] }],
    [
      'a name in the description',
      'share',
      { what: { ...text, description: 'What createNote returned' } },
      { what: 'x' },
      { what: UUID },
    ],
  ])('fit a parameter with %s', (_, name, properties, refused, input) => {
    expect(inputsFor(functionOf(name, properties), refused, [created])[0]).toEqual(input);
  });

  it('fit the id of a function about the same subject', () => {
    const call = observedCall('addOrder', {}, { orderId: 17 }, true);
    const descriptor = functionOf('cancelOrder', { id: { type: 'integer' } });
    expect(inputsFor(descriptor, { id: 1 }, [call])).toEqual([{ id: 17 }]);
  });

  it('fit a parameter that another function accepted', () => {
    const put = observedCall('put', { key: 'k-1', value: 'v' }, { replaced: false }, true);
    expect(inputsFor(functionOf('get', { key: text }), { key: 'x' }, [put])).toEqual([{ key: 'k-1' }]);
  });

  it('of one call are used together', () => {
    const calls = [1, 2].map((number) =>
      observedCall('lock', { name: `n${number}` }, { ticket: `t${number}` }, true),
    );
    const descriptor = functionOf('unlock', { name: text, ticket: text });
    expect(inputsFor(descriptor, { name: 'x', ticket: 'y' }, calls)).toEqual([
      { name: 'n1', ticket: 't1' },
      { name: 'n2', ticket: 't2' },
    ]);
  });

  it('are not used if the schema refuses them', () => {
    const descriptor = functionOf('getNote', { id: { type: 'string', pattern: '^[0-9]+$' } });
    expect(inputsFor(descriptor, { id: '1' }, [created])).toEqual([]);
  });

  it('of other subjects do not fit a name that only ends alike', () => {
    const call = observedCall('today', {}, { dayName: 'Monday' }, false);
    expect(inputsFor(functionOf('greet', { userName: text }), { userName: 'x' }, [call])).toEqual([]);
  });
});

describe('a function that changes something', () => {
  const deleteNote = functionOf('deleteNote', { id: text });

  it('gets only what the check created', () => {
    const only = { onlyOwn: true };
    expect(inputsFor(deleteNote, { id: 'x' }, [listed, created], only)).toEqual([{ id: UUID }]);
    expect(inputsFor(deleteNote, { id: 'x' }, [listed], only)).toEqual([]);
  });

  it('does not get the id of another subject that a changing function returned', () => {
    const login = observedCall('login', { name: 'ada' }, { userId: 'u-1', user: { id: 'u-1' } }, true);
    const deleteUser = functionOf('deleteUser', { userId: text });
    expect(inputsFor(deleteUser, { userId: 'x' }, [login], { onlyOwn: true })).toEqual([]);
  });

  it('takes what a function creates that only its parameter names', () => {
    const made = observedCall('createInvoice', { total: 1 }, { id: 'inv_7' }, true);
    const markPaid = functionOf('markPaid', { invoiceId: text });
    expect(inputsFor(markPaid, { invoiceId: 'x' }, [made], { onlyOwn: true })).toEqual([
      { invoiceId: 'inv_7' },
    ]);
    const other = observedCall('createInvoiceNote', { total: 1 }, { id: 'n_7' }, true);
    const found = observedCall('findInvoice', { total: 1 }, { id: 'inv_1' }, true);
    expect(inputsFor(markPaid, { invoiceId: 'x' }, [other, found], { onlyOwn: true })).toEqual([]);
  });

  it('gets what the configuration names', () => {
    const producers = { id: { from: 'listNotes', at: '$.notes[0].id' } };
    expect(inputsFor(deleteNote, { id: 'x' }, [listed, created], { onlyOwn: true, producers })).toEqual([
      { id: 'n-1' },
    ]);
  });
});

it('reports where a value came from', () => {
  const descriptor = functionOf('getNote', { id: text });
  const [first] = learnedInputs(
    { descriptor, refused: { id: 'x' }, onlyOwn: false, producers: {} },
    [listed],
    schemas,
  );
  expect(first?.learned).toEqual([
    { parameter: 'id', from: 'listNotes', place: 'answer', pointer: '/notes/0/id' },
  ]);
});
