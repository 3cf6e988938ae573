import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { createSchema, StoreError } from '../../src/db/schema.ts';
import { describeStores } from './stores.ts';

describeStores('the tables of a store', (stores) => {
  afterAll(() => stores.close());

  it.each([
    ['drop table directory_schema', 'an older version'],
    ['update directory_schema set version = 0', 'an older version'],
    ['update directory_schema set version = 1000', 'a newer version'],
  ])('refuses a database after "%s", and says what to do', async (change, version) => {
    const { db } = await stores.open();
    await createSchema(db);
    await sql.raw(change).execute(db);
    const error = await createSchema(db).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect((error as Error).message).toContain(`the tables of ${version} of the directory`);
    expect((error as Error).message).toContain('export the listings');
  });
});
