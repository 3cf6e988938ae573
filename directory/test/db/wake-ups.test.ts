import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { describeStores, openEmbedded } from './stores.ts';

describeStores('wake-ups', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  it('arrive when the transaction commits, and not when it is rolled back', async () => {
    const { db, wakeUps } = store;
    const { messages, received } = await listenTo(store);
    await db.transaction().execute(async (transaction) => {
      await wakeUps.send(transaction, 'test', 'a message with spaces\nand lines');
      await sql`select 1`.execute(transaction);
      expect(messages).toEqual([]);
    });
    expect(await received(1)).toEqual(['a message with spaces\nand lines']);
    await db
      .transaction()
      .execute(async (transaction) => {
        await wakeUps.send(transaction, 'test', 'of a transaction that fails');
        throw new Error('fails');
      })
      .catch(() => undefined);
    await wakeUps.send(db, 'test', 'after it');
    expect(await received(1)).toEqual(['after it']);
  });

  it('arrive from other connections, beside answers in many pieces', async () => {
    const { db, wakeUps } = store;
    const { received } = await listenTo(store);
    const large = Array.from({ length: 5 }, (_, index) =>
      sql`select repeat('A', ${100_000 * (index + 1)}::integer) as text, pg_notify('probity', ${`test ${index}`})`.execute(
        db,
      ),
    );
    await Promise.all(large);
    expect((await received(5)).sort()).toEqual(['0', '1', '2', '3', '4']);
    await wakeUps.send(db, 'test', 'the last');
    expect(await received(1)).toEqual(['the last']);
  });

  if (stores.kind === 'postgres')
    it('tell to read again when the connection was interrupted', async () => {
      const { received } = await listenTo(store);
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query = 'listen probity'`.execute(store.db);
      expect(await received(1)).toEqual([null]);
      await store.wakeUps.send(store.db, 'test', 'again');
      expect(await received(1)).toEqual(['again']);
    });
});

it('arrive from a command that shares the embedded store', async () => {
  const { store, folder, close } = await openEmbedded();
  const command = await openStore({ databaseUrl: null, dataFolder: folder, share: true });
  try {
    const { received } = await listenTo(store);
    await command.wakeUps.send(command.db, 'test', 'from a command');
    expect(await received(1)).toEqual(['from a command']);
  } finally {
    await command.close();
    await close();
  }
});

/** Listens to the topic `test` for one test, also for messages that are of another topic by mistake. */
async function listenTo({ db, wakeUps }: Store) {
  const messages: (string | null)[] = [];
  let isReady = false;
  const ends = [
    wakeUps.on('test', (message) => {
      if (message === 'ready') isReady = true;
      else messages.push(message);
    }),
    wakeUps.on('queue', (message) => {
      if (message !== null) messages.push(`${message} of another topic`);
    }),
  ];
  onTestFinished(() => {
    for (const end of ends) end();
  });
  const received = async (count: number) => {
    await eventually(
      async () => messages.length,
      (length) => length >= count,
    );
    return messages.splice(0);
  };
  // The connection may still be opening.
  await eventually(
    () => wakeUps.send(db, 'test', 'ready'),
    () => isReady,
  );
  messages.length = 0;
  return { messages, received };
}
