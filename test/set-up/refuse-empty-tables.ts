import { describe, test } from 'vitest';

type Table = (this: unknown, cases: readonly unknown[], ...values: readonly unknown[]) => unknown;

type Tables = Record<'each' | 'for', Table>;

const refusing = Symbol.for('refuses an empty table');

/** `each` of no row makes no test, and where others stand beside it nobody sees that nothing was run. */
function refusingEmpty(makeTests: Table): Table {
  if (refusing in makeTests) return makeTests;
  const refuse: Table = function (cases, ...values) {
    if (cases.length === 0)
      throw new Error(
        'This table of tests has no row, so that nothing would be run: give it one, or leave it out.',
      );
    return makeTests.call(this, cases, ...values);
  };
  return Object.assign(refuse, { [refusing]: true });
}

// `test.concurrent` and its like are made anew from `fn` whenever they are read.
for (const make of [test, describe])
  for (const tables of [
    make,
    (make as unknown as { readonly fn: unknown }).fn,
  ] as unknown as readonly Tables[]) {
    tables.each = refusingEmpty(tables.each);
    tables.for = refusingEmpty(tables.for);
  }
