import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/accounts/keys.ts';
import { type DirectoryUnderTest, fetchWhole, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';

let directory: DirectoryUnderTest;
beforeAll(async () => {
  directory = await startDirectory({ publicPages: true });
  await directory.list('api-worded', 'https://worded.example');
});
afterAll(() => directory?.stop());

const decide = (id: string, body: object, key = directory.key) =>
  directory.ask(`/v1/servers/${id}/decisions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the decisions of operators over HTTP', () => {
  it('hold until a release, and are shown with their reasons to operators only', async () => {
    await directory.list('api-held', 'https://held.example');
    const held = { action: 'hold', reason: 'it lies about rain', publicReason: 'under review' };
    for (const _twice of [1, 2]) {
      const answer = await decide('api-held', held);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ decision: 'hold', publicReason: 'under review' });
    }
    const seen = await (await directory.ask('/v1/servers/api-held/decisions')).json();
    expect(seen).toMatchObject({
      actions: [
        { action: 'hold', operator: 'test', reason: 'it lies about rain' },
        { action: 'hold', operator: 'test', publicReason: 'under review' },
      ],
    });
    const details = await directory.ask('/v1/servers/api-held');
    const text = await details.text();
    expect(JSON.parse(text).listing).toMatchObject({ decision: 'hold', reason: 'under review' });
    const page = await (await fetchWhole(`${directory.url}/servers/api-held`)).text();
    for (const shown of [text, page]) expect(shown).not.toContain('rain');
    const released = await decide('api-held', { action: 'release', reason: 'settled' });
    expect(await released.json()).toMatchObject({ decision: 'list', publicReason: null });
  });

  it('pause a server until a time', async () => {
    await directory.list('api-paused', 'https://paused.example');
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const paused = await decide('api-paused', { action: 'pause', reason: 'moves', until });
    expect(await paused.json()).toMatchObject({ status: 'paused', pausedUntil: until, decision: 'list' });
    const resumed = await decide('api-paused', { action: 'resume', reason: 'moved' });
    expect(await resumed.json()).toMatchObject({ status: 'unknown', pausedUntil: null });
  });

  it('tell everybody why a server is paused, beside the decision on it', async () => {
    await directory.list('api-why', 'https://why.example');
    const publicReason = 'Moves to a new host.';
    const paused = await decide('api-why', { action: 'pause', reason: 'ticket 7', publicReason });
    expect(await paused.json()).toMatchObject({ pauseReason: publicReason, publicReason: null });
    expect(await directory.details('api-why')).toMatchObject({
      pauseReason: publicReason,
      pausedUntil: null,
    });
    for (const route of ['/servers/api-why', '/servers/api-why/feed.atom'])
      expect(await (await fetchWhole(`${directory.url}${route}`)).text()).toContain(publicReason);
    const called = await directory.execute('api-why', { function: 'add', input: {} });
    expect([called.status, called.body.detail]).toEqual([503, expect.stringContaining(publicReason)]);
    expect(called.body.detail).toContain('until the operator of the directory resumes it');
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await decide('api-why', { action: 'pause', reason: 'ticket 7', until });
    expect((await directory.execute('api-why', { function: 'add', input: {} })).body.detail).toContain(until);
    await decide('api-why', { action: 'resume', reason: 'moved' });
    expect(await directory.details('api-why')).toMatchObject({ pauseReason: null });
  });

  it('do nothing when there is nothing to release or to resume, and refuse a pause without a foreseeable end', async () => {
    await directory.list('api-free', 'https://free.example');
    for (const action of ['release', 'resume'])
      expect(await (await decide('api-free', { action, reason: 'by mistake' })).json()).toMatchObject({
        decision: 'list',
        actions: [],
      });
    const far = { action: 'pause', reason: 'moves', until: '9999-12-31T00:00:00Z' };
    const refused = await decide('api-free', far);
    expect([refused.status, (await refused.json()).detail]).toEqual([
      400,
      expect.stringContaining('at most 366 days ahead'),
    ]);
  });

  it('say of an approved server without figures that it waits for them', async () => {
    const { uptime: _uptime, responseTime: _time, ...bare } = listingOf('api-waits', 'https://waits.example');
    await directory.add(bare);
    const approved = await decide('api-waits', {
      action: 'approve',
      reason: 'known',
      publicReason: 'Known.',
    });
    expect(await approved.json()).toMatchObject({ decision: 'hold', awaitsFigures: true });
    expect((await directory.details('api-waits')).listing).toMatchObject({
      awaitsFigures: true,
      decidedBy: 'operator',
    });
    const page = await (await fetchWhole(`${directory.url}/servers/api-waits`)).text();
    const badge = await (await fetchWhole(`${directory.url}/servers/api-waits/badge.svg`)).text();
    for (const text of [page, badge]) {
      expect(text).toContain('approved, waits for its figures');
      expect(text).not.toContain('on hold');
    }
    expect(page).toContain('approved by the operator');
    expect(page).not.toContain('not every listing requirement');
  });

  it('leave of a rejected server only a notice with the public reason', async () => {
    const endpoint = 'https://harmful.example/steals';
    await directory.list('api-harmful', endpoint, { description: 'Reads your mail.' });
    const publicReason = 'It sent what it read to others: https://evil.example';
    await decide('api-harmful', { action: 'reject', reason: 'report 17', publicReason });
    for (const route of ['/v1/servers/api-harmful', '/v1/servers/api-harmful/contract']) {
      const answer = await directory.ask(route);
      const text = await answer.text();
      expect([answer.status, JSON.parse(text)]).toMatchObject([
        410,
        { code: 'server-withdrawn', detail: publicReason, reason: publicReason },
      ]);
      expect(text).not.toMatch(/harmful\.example|your mail|report 17/);
    }
    expect((await directory.test('api-harmful')).status).toBe(410);
    const page = await fetchWhole(`${directory.url}/servers/api-harmful`);
    const html = await page.text();
    expect([page.status, page.headers.get('x-robots-tag')]).toEqual([410, 'noindex']);
    expect(html).toContain('It sent what it read to others');
    expect(html).not.toMatch(/harmful\.example|your mail|report 17|href="https?:/);
    // Its operators still see and release it.
    const seen = await directory.ask('/v1/servers/api-harmful/decisions');
    expect(await seen.json()).toMatchObject({ decision: 'reject', actions: [{ reason: 'report 17' }] });
    await decide('api-harmful', { action: 'release', reason: 'repaired' });
    expect((await directory.ask('/v1/servers/api-harmful')).status).toBe(200);
  });

  it('mean the same whatever the name of the key is', async () => {
    for (const name of ['policy', 'registry', 'directory']) {
      const id = `api-by-${name}`;
      await directory.list(id, 'https://named.example');
      const { key } = await createKey(directory.store.db, { name, scopes: ['admin'], expiresAt: null });
      await decide(id, { action: 'reject', reason: 'r' }, key);
      expect((await directory.ask(`/v1/servers/${id}`)).status).toBe(410);
      const seen = await (await directory.ask(`/v1/servers/${id}/decisions`)).json();
      expect(seen.actions).toMatchObject([{ authorKind: 'operator', operator: name }]);
    }
  });

  it('end the calls of a rejected server, with what everybody may know', async () => {
    await directory.list('api-called', 'https://called.example');
    const call = () => directory.execute('api-called', { function: 'f', input: {} });
    await decide('api-called', { action: 'pause', reason: 'moves' });
    await decide('api-called', { action: 'reject', reason: 'report 18', publicReason: 'It steals.' });
    expect(await call()).toMatchObject({
      status: 410,
      body: { code: 'server-withdrawn', detail: 'It steals.', called: false },
    });
    await decide('api-called', { action: 'release', reason: 'r' });
    await directory.store.db
      .updateTable('entries')
      .set({ checks_decision: 'reject' })
      .where('id', '=', 'api-called')
      .execute();
    const rejected = await call();
    expect(rejected).toMatchObject({ status: 403, body: { code: 'server-rejected', called: false } });
    // Its listing may be the reason, so nothing is said about its contract; the details are there.
    expect(rejected.body.detail).not.toContain('contract');
    expect((await directory.ask('/v1/servers/api-called')).status).toBe(200);
  });

  it('refuse an end of a pause that is too far away, before anything is stored', async () => {
    await directory.list('api-long', 'https://long.example');
    const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
    for (const until of ['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59Z', days(367)]) {
      const refused = await decide('api-long', { action: 'pause', reason: 'r', until });
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { code: 'bad-body', detail: expect.stringContaining('at most 366 days ahead') },
      ]);
    }
    const { actions } = await (await directory.ask('/v1/servers/api-long/decisions')).json();
    expect(actions).toEqual([]);
    expect((await directory.ask('/v1/log')).status).toBe(200);
    expect((await decide('api-long', { action: 'pause', reason: 'r', until: days(365) })).status).toBe(200);
  });

  it('keep the page of a server that only the checks reject', async () => {
    await directory.add(listingOf('api-checked', 'https://checked.example'));
    await directory.store.db
      .updateTable('entries')
      .set({ checks_decision: 'reject' })
      .where('id', '=', 'api-checked')
      .execute();
    expect((await directory.ask('/v1/servers/api-checked')).status).toBe(200);
  });

  it('are read page by page in the log', async () => {
    await directory.list('api-logged', 'https://logged.example');
    for (const reason of ['1', '2', '3']) await decide('api-logged', { action: 'hold', reason });
    const read = async (query: string) => (await directory.ask(`/v1/log?${query}`)).json();
    const first = await read('limit=2');
    expect(first.actions).toMatchObject([{ reason: '3' }, { reason: '2' }]);
    const second = await read(`limit=2&cursor=${first.cursor}`);
    expect(second.actions[0]).toMatchObject({ reason: '1', entryId: 'api-logged' });
    expect((await read('limit=1000')).cursor).toBeNull();
  });

  it.each([
    [{ reason: '' }, '"reason" must be a string of 1 to 2000 characters, not ""'],
    [{ reason: '  ' }, 'The reason is empty. Give one'],
    [{ publicReason: ' ' }, 'The public reason is empty. Give one'],
    [{ reason: 'x'.repeat(2001) }, '"reason" must be a string of 1 to 2000 characters'],
    [
      { action: 'pause', until: '2030-01-01T00:00:00' },
      'is no time. Give a time in the future with its zone',
    ],
    [{ action: 'pause', until: '9999-12-31T00:00:00Z' }, 'at most 366 days ahead'],
    [{ action: 'pause', until: '2020-01-01T00:00:00Z' }, 'not in the future'],
    [{ until: '2h' }, 'Only a pause ends at a time'],
  ])('say what is wrong with %j', async (parts, words) => {
    const answer = await decide('api-worded', { action: 'hold', reason: 'r', ...parts });
    expect((await answer.json()).detail).toContain(words);
    expect(answer.status).toBe(400);
  });

  it('need the scope admin, a reason, and a server that exists', async () => {
    await directory.list('api-wanted', 'https://wanted.example');
    const reader = await directory.newKey('read', 'test', 'execute');
    const hold = { action: 'hold', reason: 'r' };
    expect((await decide('api-wanted', hold, reader)).status).toBe(403);
    const asReader = { headers: { authorization: `Bearer ${reader}` } };
    for (const route of ['/v1/log', '/v1/servers/api-wanted/decisions'])
      expect((await directory.ask(route, asReader)).status).toBe(403);
    for (const body of [
      { action: 'hold' },
      { ...hold, reason: '  ' },
      { ...hold, reason: 'a\u0000b' },
      { ...hold, action: 'delete' },
      { ...hold, more: 1 },
      { ...hold, until: new Date(Date.now() + 60_000).toISOString() },
      { ...hold, action: 'pause', until: '2020-01-01T00:00:00Z' },
      { ...hold, reason: 'x'.repeat(2001) },
    ]) {
      const refused = await decide('api-wanted', body);
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'bad-body' }]);
    }
    expect((await decide('nobody', hold)).status).toBe(404);
    expect((await directory.ask('/v1/log?cursor=x')).status).toBe(400);
    expect((await directory.ask('/v1/log?page=2')).status).toBe(400);
    const untouched = await directory.ask('/v1/servers/api-wanted/decisions');
    expect(await untouched.json()).toMatchObject({ decision: 'list', actions: [] });
  });
});
