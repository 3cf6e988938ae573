import { describe, test } from 'vitest';

type Table = (this: unknown, cases: readonly unknown[], ...values: readonly unknown[]) => unknown;

type Tables = Record<'each' | 'for', Table>;

const refusing = Symbol.for('refuses an empty table');

/** `each` without rows creates no test, which is not noticed if the file has other tests. */
function refusingEmpty(makeTests: Table): Table {
  if (refusing in makeTests) return makeTests;
  const refuse: Table = function (cases, ...values) {
    if (cases.length === 0)
      throw new Error(
        'This table of tests has no rows, so nothing would run: add a row, or remove the table.',
      );
    return makeTests.call(this, cases, ...values);
  };
  return Object.assign(refuse, { [refusing]: true });
}

// `test.concurrent` and similar members are created from `fn` whenever they are read.
for (const make of [test, describe])
  for (const tables of [
    make,
    (make as unknown as { readonly fn: unknown }).fn,
  ] as unknown as readonly Tables[]) {
    tables.each = refusingEmpty(tables.each);
    tables.for = refusingEmpty(tables.for);
  }
