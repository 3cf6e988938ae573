import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/command-line/terminal.ts';

test.each([
  [{ isTTY: true, columns: 72 }, 72],
  [{ isTTY: true, columns: 0 }, 80],
  [{ isTTY: false, columns: 0 }, 80],
])('of %o uses %i columns', (stream, columns) => {
  expect(columnsOf(stream as NodeJS.WriteStream)).toBe(columns);
});
