import type { Spend } from './outcome.ts';

/** The properties and items of one value that schemas have evaluated, for `unevaluated…`. */
export interface Seen {
  readonly certain: Marks;
  /** Evaluated only if the value is valid against an undecided schema. */
  readonly doubtful: Marks;
  doubt: string;
}

interface Marks {
  readonly properties: Set<string>;
  allProperties: boolean;
  /** All items before this one; Infinity for all items. */
  itemsBefore: number;
  readonly items: Set<number>;
}

function noMarks(): Marks {
  return { properties: new Set(), allProperties: false, itemsBefore: 0, items: new Set() };
}

export function nothingSeen(): Seen {
  return { certain: noMarks(), doubtful: noMarks(), doubt: '' };
}

export function hasProperty(marks: Marks, name: string): boolean {
  return marks.allProperties || marks.properties.has(name);
}

export function hasItem(marks: Marks, index: number): boolean {
  return index < marks.itemsBefore || marks.items.has(index);
}

export function addSeen(into: Seen, from: Seen, spend: Spend): void {
  spend(sizeOf(from));
  addMarks(into.certain, from.certain);
  addDoubt(into, from.doubtful, from.doubt);
}

/** Adds what an undecided schema has seen. */
export function addDoubtful(into: Seen, from: Seen, reason: string, spend: Spend): void {
  spend(sizeOf(from));
  addDoubt(into, from.certain, reason);
  addDoubt(into, from.doubtful, reason);
}

/** Marks everything as possibly seen, by a schema that could not be applied. */
export function doubtAll(into: Seen | null, reason: string): void {
  if (into === null) return;
  addDoubt(into, { ...noMarks(), allProperties: true, itemsBefore: Number.POSITIVE_INFINITY }, reason);
}

function sizeOf({ certain, doubtful }: Seen): number {
  return certain.properties.size + certain.items.size + doubtful.properties.size + doubtful.items.size;
}

function addDoubt(into: Seen, marks: Marks, reason: string): void {
  addMarks(into.doubtful, marks);
  if (into.doubt === '') into.doubt = reason;
}

function addMarks(into: Marks, from: Marks): void {
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
  into.allProperties ||= from.allProperties;
  into.itemsBefore = Math.max(into.itemsBefore, from.itemsBefore);
}
