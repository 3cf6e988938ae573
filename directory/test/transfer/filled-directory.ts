import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { createKey, revokeKey } from '../../src/accounts/keys.ts';
import type { Store } from '../../src/db/open-store.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { storePolicy } from '../../src/entries/policies.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { insertResult } from '../../src/entries/results.ts';
import { DEFAULT_POLICY } from '../../src/settings/policy.ts';
import { exportDirectory } from '../../src/transfer/export-directory.ts';
import { closeHours } from '../../src/watching/close-hours.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import { HOSTILE, keepCapabilities, keepObservations, listing, newEntry } from '../entries/kept-entries.ts';

const HOUR_MS = 3_600_000;

/** Puts rows into every table that an export has. */
export async function fillDirectory({ db }: Pick<Store, 'db'>, now = new Date()): Promise<void> {
  await putEntries(
    db,
    [
      newEntry(listing('held')),
      newEntry(listing('rejected')),
      newEntry(listing('gone')),
      newEntry(listing('spoken', { protocol: 'mcp', version: '1.2.3' })),
      newEntry({ ...HOSTILE, description: 'line\u2028separators\u2029and\r"quotes"\\ \u{1f600}' }),
      newEntry(listing('Zulu', { uptime: 12.345678901234567 })),
    ],
    now,
  );
  await decideAsOperator(db, 'held', { action: 'hold', reason: 'r', publicReason: 'p', operator: 'ada' });
  await decideAsOperator(db, 'rejected', { action: 'reject', reason: 'harmful', operator: 'ada' });
  await decideAsOperator(db, 'Zulu', { action: 'pause', reason: 'moves', operator: 'eve', until: now });
  await keepCapabilities(db, 'Zulu', { functions: [{ name: 'a\\u0000b' }] });
  await keepObservations(db, 'Zulu', now);
  await closeHours(db, { now, holdsMs: 600_000 });
  const late = {
    entry_id: 'Zulu',
    operation: 'health',
    duration_ms: 3.5,
    source: 'probe',
    up: true,
  } as const;
  await storeObservations(db, 'Zulu', [{ ...late, at: new Date(now.getTime() - HOUR_MS) }], {
    now,
    holdsMs: 600_000,
  });
  await removeEntries(db, ['gone']);
  await sql`
    insert into registry_sources (url, every_ms, max_servers, cursor, read_until)
    values ('https://registry.example', 3600000, 50000, 'next', ${now})`.execute(db);
  await sql`
    insert into package_checks (name, queued_at, queued_for, checked_at, checked_for, verdict, findings, body)
    values ('a/b', ${now}, 'x', ${now}, 'x', 'fail', '[]', ${gzipSync('{}')})`.execute(db);
  await insertResult(
    db,
    {
      id: 'result-1',
      entry_id: 'Zulu',
      started_at: now,
      duration_ms: 0.1 + 0.2,
      verdict: 'pass',
      reachable: true,
      summary: '{}',
      decision: 'list',
      body: gzipSync('{"a":"\\u0000"}'),
      content: Buffer.from([0, 255, 92]),
      input_functions: ['f', 'with "quotes"'],
    },
    null,
  );
  await sql`
    insert into contracts values ('Zulu', ${now}, ${now}, '{}', '[]', 0, 'breaking', true)`.execute(db);
  const { id } = await createKey(db, { name: 'client', scopes: ['read', 'admin'], expiresAt: now });
  await revokeKey(db, id);
  await createKey(db, { name: 'other', scopes: ['execute'], expiresAt: null });
  await storePolicy(db, { ...DEFAULT_POLICY, holdOn: ['breaking'] });
  await sql`insert into audits (id, tier, selection, entries, state) values ('a1', 'health', 'all', 1, 'ended')`.execute(
    db,
  );
  await sql`insert into audit_outcomes (audit_id, entry_id, place) values ('a1', 'gone', 1)`.execute(db);
}

export async function exported({ db }: Pick<Store, 'db'>): Promise<string> {
  let text = '';
  await exportDirectory(db, async (piece) => {
    text += piece;
  });
  return text;
}

/** The lines of a text, without the LF that ends each. */
export async function* linesOf(text: string): AsyncGenerator<string> {
  const lines = text.split('\n');
  const last = lines.pop();
  yield* lines;
  if (last !== '' && last !== undefined) yield last;
}
