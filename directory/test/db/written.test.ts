import { describe, expect, it } from 'vitest';
import { mayWrite, ONLY_READS } from '../../src/db/written.ts';

/** As a PostgreSQL client sends a statement with a value. */
function batchOf(statement: string, value = '', name = ''): Buffer {
  return Buffer.concat([
    message('P', `${name}\0${statement}\0\0\0`),
    message('B', `\0\0${value}`),
    message('S', ''),
  ]);
}

function message(letter: string, content: string): Buffer {
  const bytes = Buffer.from(`${letter}0000${content}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

describe('a statement', () => {
  it.each([
    { what: 'that says that it only reads', batch: batchOf(`${ONLY_READS} select 1`), writes: false },
    { what: 'that says nothing', batch: batchOf('select 1'), writes: true },
    { what: 'that says it later', batch: batchOf(`delete from keys ${ONLY_READS}`), writes: true },
    { what: 'with a value that says it', batch: batchOf('', ONLY_READS), writes: true },
    { what: 'with a name that says it', batch: batchOf('delete from keys', '', ONLY_READS), writes: true },
    {
      what: 'in a batch of several',
      batch: message('Q', `${ONLY_READS} select 1; delete from keys`),
      writes: true,
    },
    { what: 'that ends a transaction', batch: message('Q', 'commit'), writes: true },
  ])('$what may write: $writes', ({ batch, writes }) => {
    expect(mayWrite(batch)).toBe(writes);
  });
});
