import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type AuditTier,
  createAudit,
  endAudit,
  type FoundOutcome,
  keepOutcome,
} from '../../src/auditing/audits.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';

let open: DirectoryUnderTest;
let closed: DirectoryUnderTest;

beforeAll(async () => {
  open = await startDirectory({ publicPages: true });
  closed = await open.another({ publicPages: false });
  await putEntries(
    open.store.db,
    ['same', 'fails', 'goes'].map((id) => newEntry(listing(id))),
    new Date(),
  );
  await audit('first', { same: 'up', fails: 'up', goes: 'up' });
});
afterAll(async () => {
  await closed?.stop();
  await open?.stop();
});

const CAUSE = '<img src=x onerror=alert(1)>';

async function begin(id: string, tier: AuditTier = 'health'): Promise<void> {
  await createAudit(open.store.db, { id, tier, selection: { kind: 'all' } });
}

async function audit(id: string, outcomes: Readonly<Record<string, FoundOutcome['outcome']>>): Promise<void> {
  await begin(id);
  for (const [entryId, outcome] of Object.entries(outcomes))
    await keepOutcome(
      open.store.db,
      { auditId: id, entryId },
      {
        outcome,
        cause: outcome === 'down' ? CAUSE : null,
        verdict: null,
        failed: [],
        capabilitiesDigest: null,
        isChanged: false,
        isSuspect: false,
      },
    );
  await endAudit(open.store.db, id, 'ended');
}

async function page(id: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${open.url}/audits/${id}`);
  return { status: answer.status, text: await answer.text() };
}

it('shows the outcomes of an audit and what changed, with links to the servers that exist', async () => {
  await audit('second', { same: 'up', fails: 'down', goes: 'gone' });
  await removeEntries(open.store.db, ['goes']);
  const { status, text } = await page('second');
  expect(status).toBe(200);
  expect(text).toContain('<th scope="row">all</th><td class="wraps"></td><td>3</td>');
  expect(text).toContain(
    '<a href="/servers/fails">fails</a></th><td class="wraps">up → down (&lt;img src=x onerror=alert(1)>)',
  );
  expect(text).toContain('<th scope="row">goes</th><td class="wraps">up → removed during the audit</td>');
  expect(text).not.toContain('>same</a>');
  expect(text).not.toContain(CAUSE);
});

it('shows no changes of an audit that must not be quoted, and says why', async () => {
  await begin('frozen');
  await endAudit(open.store.db, 'frozen', 'frozen', '50 of the last 100 failed.');
  const { text } = await page('frozen');
  expect(text).toContain('do not quote them. <span dir="auto">50 of the last 100 failed.</span>');
  expect(text).toContain('<th scope="row" class="wraps">not asked yet</th>');
  expect(text).not.toContain('id="changes"');
  await begin('running');
  expect((await page('running')).text).not.toContain('id="books"');
});

it('answers 404 for an unknown audit, and is read by those who read the other pages', async () => {
  expect((await page('unknown')).status).toBe(404);
  expect((await page('%00')).status).toBe(404);
  const address = `${closed.url}/audits/first`;
  const unsigned = await fetch(address, { redirect: 'manual' });
  expect([unsigned.status, unsigned.headers.get('location')]).toEqual([
    303,
    '/sign-in?next=%2Faudits%2Ffirst',
  ]);
  const answer = await fetch(address, { headers: { authorization: `Bearer ${closed.key}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toContain('private');
});
