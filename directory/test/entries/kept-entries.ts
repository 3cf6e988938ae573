import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import type { JsonObject, Listing, ListingDecision, ListingRow, TestResult } from 'probity/model';
import { outlineOf } from '../../src/checking/keep-result.ts';
import type { Db } from '../../src/db/tables.ts';
import { storeCapabilities } from '../../src/entries/capabilities.ts';
import { readEntry, removeEntries } from '../../src/entries/entries.ts';
import type { NewEntry } from '../../src/entries/put-row.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import type { Observation } from '../../src/watching/observed-time.ts';

const DAY_MS = 86_400_000;

export function listing(id: string, parts: Partial<Listing> = {}): Listing {
  return {
    id,
    name: `Server ${id}`,
    description: `What ${id} does, in a sentence.`,
    category: 'Tools',
    tags: ['one', 'two'],
    transport: ['http'],
    audited: false,
    openSource: true,
    endpoint: `https://${id.toLowerCase()}.example/mcp`,
    uptime: 99.5,
    responseTime: 120,
    ...parts,
  };
}

export function newEntry(
  of: Listing,
  decision: ListingDecision = 'list',
  rows: readonly ListingRow[] = listingRows(decision),
): NewEntry {
  return { listing: of, first: { decision, decidedBy: 'checks', rows } };
}

function listingRows(decision: ListingDecision): readonly ListingRow[] {
  const row = (
    requirement: ListingRow['requirement'],
    level: ListingRow['level'],
    outcome: ListingRow['outcome'],
    text: string,
  ): ListingRow => ({
    requirement,
    level,
    outcome,
    evidence: [
      outcome === 'passed'
        ? { kind: 'found', text }
        : {
            kind: outcome === 'failed' ? 'missing' : 'undecided',
            text,
            expected: 'what the listing promises',
            received: 'nothing',
            remedy: 'Say where it is.',
            fault: 'server',
            where: { file: 'listing', line: 1, column: 1 },
          },
    ],
  });
  const protocol = decision === 'reject' ? 'failed' : decision === 'hold' ? 'undecided' : 'passed';
  return [
    row('listing/mcp-support', 'MUST', protocol, 'mcpVersion 1.0 in health and capabilities'),
    row('listing/record', 'MUST', protocol, 'every endpoint answers as the contract says'),
    row('listing/documented-api', 'MUST', 'passed', 'https://docs.example/api describes each function'),
    row('listing/security-audit', 'MAY', 'failed', 'a report of a security review'),
    row('listing/open-or-verifiable', 'MUST', 'passed', 'https://git.example/server is public'),
  ];
}

export async function keepResult(
  db: Db,
  entryId: string,
  result: TestResult,
  decision: ListingDecision,
): Promise<void> {
  await db
    .insertInto('results')
    .values({
      id: randomUUID(),
      entry_id: entryId,
      started_at: new Date(result.startedAt),
      duration_ms: result.durationMs,
      verdict: result.verdict,
      reachable: result.reachable,
      summary: JSON.stringify(result.summary),
      decision,
      body: gzipSync(JSON.stringify(result)),
      outline: JSON.stringify(outlineOf(result)),
    })
    .execute();
}

/** 25 days of observations: down for part of one day, with rising times and one slow call. */
export async function keepObservations(db: Db, entryId: string, now: Date): Promise<void> {
  const observations: Observation[] = [];
  for (let day = 0; day < 25; day += 1)
    for (let turn = 0; turn < 8; turn += 1)
      observations.push({
        entry_id: entryId,
        at: new Date(now.getTime() - day * DAY_MS - turn * 600_000),
        up: !(day === 9 && turn < 3),
        operation: (['health', 'capabilities', 'execute'] as const)[turn % 3] ?? 'health',
        duration_ms: 4 + turn * 3.25 + (turn === 2 && day === 1 ? 900 : 0),
        source: 'probe',
      });
  await storeObservations(db, entryId, observations, { now, holdsMs: 600_000 });
  await db
    .updateTable('entries')
    .set({ observed: 'up', figures_claimed: false, uptime: 99.876, response_time_ms: 17.25 })
    .where('id', '=', entryId)
    .execute();
}

export async function keepCapabilities(db: Db, entryId: string, capabilities: unknown): Promise<void> {
  const entry = await readEntry(db, entryId);
  if (entry !== null) await storeCapabilities(db, entry, capabilities as JsonObject, new Date());
}

const LIVE = '\u202E\u0007\u200B';
const MARKUP = `"><img src=x onerror=alert(1)></script><script>alert(2)</script><style>*{display:none}</style>${LIVE}`;

/** A listing that tries to inject code into the pages. */
export const HOSTILE = listing('hostile', {
  name: `Hostile ${MARKUP}`,
  description: `${'w'.repeat(3000)} ${MARKUP}`,
  category: `Evil ${MARKUP}`,
  tags: ['x'.repeat(400), MARKUP, 'a,b', `${LIVE}`],
  endpoint: 'javascript:alert(3)',
  repository: 'javascript:alert(4)',
  documentation: 'data:text/html,<script>alert(5)</script>',
  licence: MARKUP,
  author: { name: MARKUP, contact: 'https://user:pass@evil.example/' },
  auditReport: { url: ' javascript:alert(6)', date: MARKUP, auditor: MARKUP },
  build: { artifact: 'https://good.example/\u202Egpj.exe', digest: MARKUP },
});

export const HOSTILE_CAPABILITIES = {
  functions: [
    { name: `$PROBITY_TOKEN '; rm -rf / #`, description: MARKUP, inputs: [MARKUP, '$(reboot)'], outputs: [] },
    { name: 7, parameters: { properties: { [MARKUP]: { type: [MARKUP], description: MARKUP } } } },
    { name: 'z'.repeat(5000) },
    null,
    'none',
  ],
};

/** Removes all entries and audits, so that the next test of the file begins with an empty store. */
export async function removeAll(db: Db): Promise<void> {
  const ids = await db.selectFrom('entries').select('id').execute();
  await removeEntries(
    db,
    ids.map(({ id }) => id),
  );
  await sql`delete from audits`.execute(db);
}
