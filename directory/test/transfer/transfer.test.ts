import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../src/db/open-store.ts';
import { readEntry } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { readLog } from '../../src/entries/operator-log.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { EXPORTED_TABLES, LEFT_OUT } from '../../src/transfer/exported-tables.ts';
import { checkExport, importDirectory } from '../../src/transfer/import-directory.ts';
import { describeStores, openEmbedded } from '../db/stores.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';
import { exported, fillDirectory, linesOf } from './filled-directory.ts';

describeStores('the export of a directory', (stores) => {
  let store: Store;
  let text: string;
  beforeAll(async () => {
    store = await stores.open();
    await fillDirectory(store);
    text = await exported(store);
  });
  afterAll(stores.close);

  it('has rows of every table of the schema, except of those that are left out for a reason', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    `.execute(store.db);
    const named = [...EXPORTED_TABLES.map(({ name }) => name), ...Object.keys(LEFT_OUT)];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
    const filled = new Set(
      text
        .trim()
        .split('\n')
        .slice(1, -1)
        .map((line) => JSON.parse(line).table as string),
    );
    expect([...filled]).toEqual(EXPORTED_TABLES.map(({ name }) => name));
  });

  it('is the same, byte for byte, of the directory that was made of it', async () => {
    const other = await stores.open();
    await importDirectory(other.db, linesOf(text));
    expect(await exported(other)).toBe(text);
    expect(await exported(store)).toBe(text);
    // Also in the other kind of store.
    const embedded = await openEmbedded();
    await importDirectory(embedded.store.db, linesOf(text));
    expect(await exported(embedded.store)).toBe(text);
    await embedded.close();
  });

  it('keeps what was decided, and goes on from there', async () => {
    const other = await stores.open();
    await importDirectory(other.db, linesOf(text));
    expect(await readEntry(other.db, 'held')).toMatchObject({ decision: 'hold', public_reason: 'p' });
    expect(await readEntry(other.db, 'rejected')).toMatchObject({ decision: 'reject' });
    const kept = await readEntry(store.db, 'Zulu');
    expect(kept).toMatchObject({ status: 'paused' });
    expect(await readEntry(other.db, 'Zulu')).toEqual(kept);
    expect(
      await decideAsOperator(other.db, 'held', { action: 'release', reason: 'r', operator: 'o' }),
    ).toMatchObject({ decision: 'list' });
    await putEntries(other.db, [newEntry(listing('new'))], new Date());
    const [newest, before] = await readLog(other.db, { max: 2 });
    expect([newest?.action, before?.action]).toEqual(['release', 'pause']);
    expect(newest?.number).toBeGreaterThan(before?.number ?? Number.POSITIVE_INFINITY);
  });

  it('is refused by a directory that is not empty, which stays as it is', async () => {
    await expect(importDirectory(store.db, linesOf(text))).rejects.toThrow(/not empty|already/);
    expect(await exported(store)).toBe(text);
  });

  it('is refused with the line that was damaged, and nothing is written', async () => {
    const lines = text.split('\n');
    const count = lines.length - 1;
    const place = lines.findIndex((line) => line.includes('"table":"results"'));
    const without = (index: number) => lines.filter((_line, at) => at !== index).join('\n');
    const damages: readonly (readonly [string, RegExp])[] = [
      [text.slice(0, text.length / 2), /the rest of the export is missing|was changed or damaged/],
      [lines.slice(0, place).join('\n'), new RegExp(`Line ${place} .*rest of the export is missing`)],
      [text.replace('"reason":"harmful"', '"reason":"harmless"'), /Line \d+ .* changed or damaged/],
      [without(place), new RegExp(`Line ${place + 1} `)],
      [without(count - 2), new RegExp(`Line ${count - 1} .*rows are missing`)],
      [`${text}{}\n`, new RegExp(`Line ${count + 1} .*after the end`)],
      [text.replace('"version":1', '"version":2'), /Line 1 .*version 2/],
      [text.replace('"schema":', '"schema":9'), /another version of the directory/],
      ['', /rest of the export is missing/],
    ];
    const other = await stores.open();
    const empty = await exported(other);
    for (const [damaged, message] of damages) {
      await expect(checkExport(linesOf(damaged))).rejects.toThrow(message);
      await expect(importDirectory(other.db, linesOf(damaged))).rejects.toThrow(message);
    }
    expect(await exported(other)).toBe(empty);
  });
});
