import { sql } from 'kysely';
import type { Db } from './tables.ts';

/** A statement as a template, such as firstRow(db)`select …`. What it inserts becomes parameters, or other SQL. */
type Statement<Result> = (text: TemplateStringsArray, ...values: readonly unknown[]) => Promise<Result>;

export function allRows<Row>(db: Db): Statement<readonly Row[]> {
  return async (text, ...values) => (await sql<Row>(text, ...values).execute(db)).rows;
}

export function firstRow<Row>(db: Db): Statement<Row | null> {
  return async (text, ...values) => (await allRows<Row>(db)(text, ...values))[0] ?? null;
}

/** For a statement that always returns a row. */
export function oneRow<Row>(db: Db): Statement<Row> {
  return async (text, ...values) => {
    const row = await firstRow<Row>(db)(text, ...values);
    if (row === null) throw new Error('a statement that always returns a row returned none');
    return row;
  };
}

/** Whether it returns a row. */
export function hasRow(db: Db): Statement<boolean> {
  return async (text, ...values) => (await allRows(db)(text, ...values)).length > 0;
}

export function run(db: Db): Statement<void> {
  return async (text, ...values) => {
    await allRows(db)(text, ...values);
  };
}
