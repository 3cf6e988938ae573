import { Parser as TapParser } from 'tap-parser';
import type { RenderedFile } from '../../../src/report/target-entry.ts';
import { readJson } from './read-json.ts';
import type { Reading } from './reading.ts';

/** The events of a TAP reader, as pairs of name and data. */
export function tapEvents(text: string): readonly (readonly [string, unknown])[] {
  return TapParser.parse(text) as unknown as readonly (readonly [string, unknown])[];
}

export interface TapPoint {
  readonly ok: boolean;
  readonly id: number;
  readonly name: string;
  readonly skip: string | boolean;
  readonly todo: string | boolean;
  readonly diag: unknown;
}

export function tapPoints(text: string): readonly TapPoint[] {
  return tapEvents(text)
    .filter(([event]) => event === 'assert')
    .map(([, point]) => point as TapPoint);
}

const WANTED_EVENTS = new Set([
  'version',
  'plan',
  'comment',
  'assert',
  'complete',
  'finish',
  'pass',
  'fail',
  'skip',
  'todo',
  'line',
  'close',
]);

export function readTap(file: RenderedFile | undefined): Reading {
  const events = tapEvents(file?.text ?? '');
  const points = tapPoints(file?.text ?? '');
  const told = points.map(({ name, skip, todo, diag }) => ({ name, skip, todo, diag }));
  return {
    structure: points.map(({ ok, id, skip, todo, diag }) => [
      ok,
      id,
      Boolean(skip),
      Boolean(todo),
      typeof diag,
    ]),
    texts: readJson({ suffix: '', text: JSON.stringify(told) }).texts,
    faults: events
      .filter(([event]) => !WANTED_EVENTS.has(event))
      .map((event) => `an unexpected event: ${JSON.stringify(event)}`),
  };
}
