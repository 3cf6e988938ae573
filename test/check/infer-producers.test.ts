import { expect, it } from 'vitest';
import { inferProducers } from '../../src/check/learn/infer-producers.ts';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import type { JsonObject } from '../../src/json/json.ts';

const schemas = createSchemaEvaluator();
const text = { type: 'string' };
const object = (properties: Record<string, JsonObject>): JsonObject => ({ type: 'object', properties });
const fn = (
  name: string,
  parameters: Record<string, JsonObject>,
  returns: Record<string, JsonObject>,
): JsonObject => ({
  name,
  description: '',
  parameters: { ...object(parameters), required: Object.keys(parameters) },
  returns: object(returns),
});

const createNote = fn('createNote', { title: text }, { id: text });
const listNotes = fn('listNotes', {}, { notes: { type: 'array', items: object({ id: text, title: text }) } });

it('names the function that creates what a parameter identifies', () => {
  const inferred = inferProducers([createNote, fn('deleteNote', { noteId: text }, {})], schemas);
  expect([...inferred]).toEqual([['deleteNote', { noteId: { from: 'createNote', at: '$.id' } }]]);
});

it('names the items of a list for a function that only reads', () => {
  const lists = fn(
    'listNotes',
    {},
    { notes: { type: 'array', items: { ...object({ id: text }), required: ['id'] } } },
  );
  const inferred = inferProducers([lists, fn('getNote', { id: text }, { body: text })], schemas);
  expect([...inferred]).toEqual([['getNote', { id: { from: 'listNotes', at: '$.notes[0].id' } }]]);
});

it('names nothing that the check did not create for a function that changes something', () => {
  expect([...inferProducers([listNotes, fn('deleteNote', { id: text }, {})], schemas)]).toEqual([]);
});

it('understands form A', () => {
  const inferred = inferProducers(
    [
      { name: 'startTimer', inputs: ['seconds'], outputs: ['timer id'] },
      { name: 'getTimer', inputs: ['timer id'], outputs: ['left'] },
    ],
    schemas,
  );
  expect([...inferred]).toEqual([['getTimer', { 'timer id': { from: 'startTimer', at: '$["timer id"]' } }]]);
});

it('says nothing of texts that identify nothing', () => {
  expect([...inferProducers([createNote, fn('search', { title: text }, { title: text })], schemas)]).toEqual(
    [],
  );
});
