import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { expect, it } from 'vitest';
import { serveDatabase } from '../../src/db/serve-database.ts';

it('ends an idle transaction that others wait for, also while they send more', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-served-'));
  const socket = path.join(folder, '.s.PGSQL.5432');
  const db = await PGlite.create();
  const server = await serveDatabase(db, socket, undefined, 200);
  const idle = new pg.Client({ host: folder, user: 'postgres', database: 'postgres' });
  let hasEnded = false;
  idle.on('error', () => {
    hasEnded = true;
  });
  try {
    await idle.connect();
    await idle.query('begin');
    const other = connect(socket);
    await once(other, 'connect');
    const answered = once(other, 'data');
    for (let sent = 0; sent < 300 && !hasEnded; sent += 1) {
      other.write(sent === 0 ? STARTUP : QUERY);
      await delay(10);
    }
    expect(hasEnded).toBe(true);
    await answered;
    other.destroy();
  } finally {
    await server.stop();
    await db.close();
    await rm(folder, { recursive: true, force: true });
  }
});

// Messages of the protocol of PostgreSQL, version 3: the length counts itself.
const STARTUP = withLength('\0\x03\0\0user\0postgres\0database\0postgres\0\0');
const QUERY = Buffer.concat([Buffer.from('Q'), withLength('select 1\0')]);

function withLength(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + text.length);
  return Buffer.concat([length, Buffer.from(text, 'latin1')]);
}
