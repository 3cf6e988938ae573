import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedStore, openEmbedded } from '../db/stores.ts';

describe('the embedded database with several clients', () => {
  let embedded: EmbeddedStore;
  const clients: pg.Client[] = [];
  beforeAll(async () => {
    embedded = await openEmbedded();
    const host = embedded.folder;
    for (let index = 0; index < 8; index += 1) {
      const client = new pg.Client({ host, port: 5432, user: 'postgres', database: 'postgres' });
      client.on('error', () => undefined);
      await client.connect();
      clients.push(client);
    }
    await clients[0]?.query('create table notes (client integer, note text)');
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await embedded?.close();
  });

  it('answers each client with the result of its statement and values', async () => {
    const ask = async (client: pg.Client, index: number): Promise<void> => {
      for (let round = 0; round < 25; round += 1) {
        const columns = Array.from(
          { length: (index % 4) + 1 },
          (_, column) => `$${column + 1}::text as c${column}`,
        );
        const values = columns.map((_, column) => `${index} ${round} ${column}`);
        const { rows } = await client.query(`select ${columns.join(', ')}`, values);
        expect(rows).toEqual([Object.fromEntries(values.map((value, column) => [`c${column}`, value]))]);
        if (round % 5 === 0)
          await expect(client.query('select $1::integer', ['none'])).rejects.toThrow('integer');
      }
    };
    await Promise.all(clients.map(ask));
  });

  it('isolates the transactions of the clients', async () => {
    await Promise.all(
      clients.map(async (client, index) => {
        await client.query('begin');
        for (let note = 0; note < 5; note += 1)
          await client.query('insert into notes values ($1, $2)', [index, `note ${note}`]);
        await client.query(index % 2 === 0 ? 'commit' : 'rollback');
      }),
    );
    const rows = (await clients[0]?.query('select * from notes'))?.rows;
    expect(rows).toHaveLength(20);
  });

  it('rolls back the transaction of a disconnected client, and serves the others', async () => {
    const [leaver, ...others] = clients;
    if (leaver === undefined) throw new Error('no client');
    await leaver.query('begin');
    await leaver.query("insert into notes values (99, 'never')");
    const waiting = Promise.all(
      others.map((client) => client.query('select count(*)::integer as left from notes where client = 99')),
    );
    (
      leaver as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
    ).connection.stream.destroy();
    for (const { rows } of await waiting) expect(rows).toEqual([{ left: 0 }]);
    clients.shift();
  });
});
