import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { openEmbedded, startPostgres, type TestPostgres } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';

let postgres: TestPostgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = await postgres.database('decisions');
});
afterAll(() => postgres?.stop());

const probity = (...args: readonly string[]) =>
  runCommand(['directory', ...args], { env: { DATABASE_URL: databaseUrl } });

function file(...listings: readonly object[]): string {
  const name = path.join(emptyFolder(), 'listings.ndjson');
  writeFileSync(name, listings.map((one) => `${JSON.stringify({ listing: 'v1', ...one })}\n`).join(''));
  return name;
}

const shown = async (id: string) => JSON.parse((await probity('show', id, '--json')).stdout);
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('decisions from the command line', () => {
  it('are kept with who, when and why, and shown in the log', async () => {
    await probity('add', file(listingOf('kept', 'https://kept.example')), '--no-fetch', '--by', 'ada');
    const held = await probity('hold', 'kept', '--reason', 'it lies', '--public-reason', 'under review');
    expect([held.code, held.stderr]).toMatchObject([0, expect.stringContaining('kept is on hold')]);
    expect(await shown('kept')).toMatchObject({ decision: 'hold', publicReason: 'under review' });
    const paused = await probity('pause', 'kept', '--reason', 'moves', '--until', '2h', '--by', 'eve');
    expect(paused.stderr).toMatch(/neither probed nor tested until \d{4}-/);
    expect(await shown('kept')).toMatchObject({ status: 'paused', decision: 'hold' });
    expect((await probity('list', '--status', 'paused,gated', '--json')).stdout).toContain('"id":"kept"');
    const { stdout } = await probity('log', 'kept', '--json');
    expect(linesOf(stdout)).toMatchObject([
      { action: 'pause', operator: 'eve', reason: 'moves', until: expect.stringMatching(/Z$/) },
      { action: 'hold', reason: 'it lies', publicReason: 'under review' },
      { action: 'add', operator: 'ada', entryId: 'kept', reason: null },
    ]);
    const text = await probity('log');
    expect(text.stdout).toMatch(/Z {2}hold kept by .+: it lies; for everybody: under review/);
    expect((await probity('log', 'nobody')).stderr).toContain('nothing about "nobody"');
  });

  it('say of an approved server without figures that it waits for them, not that it is held', async () => {
    await probity('add', file(listingOf('waits', 'https://waits.example')), '--no-fetch');
    const approved = await probity('approve', 'waits', '--reason', 'a known author');
    expect(approved.stderr).toContain('is listed as soon as');
    const show = await probity('show', 'waits');
    expect(show.stdout).toMatch(/decision +approved by the operator, waits for its figures/);
    const list = await probity('list', '--held');
    expect(list.stdout).toContain('  approved by the operator, waits for its figures: a running service');
    expect((await probity('list', '--undecided')).stdout).not.toMatch(/^waits /m);
  });

  it('say when there is nothing to undo, and bound a pause', async () => {
    await probity('add', file(listingOf('free', 'https://free.example')), '--no-fetch');
    const released = await probity('release', 'free', '--reason', 'by mistake');
    expect(released.stderr).toContain('decided by the checks already');
    const resumed = await probity('resume', 'free', '--reason', 'by mistake');
    expect(resumed.stderr).toContain('free is not paused.');
    expect((await probity('log', 'free')).stdout).not.toContain('by mistake');
    const paused = await probity('pause', 'free', '--reason', 'x', '--until', '9999-12-31T00:00:00Z');
    expect([paused.code, paused.stderr]).toMatchObject([
      2,
      expect.stringContaining('at most 366 days ahead'),
    ]);
  });

  it('of a server that was removed are told to whoever adds it again', async () => {
    const listing = file(listingOf('again', 'https://again.example'));
    await probity('add', listing, '--no-fetch');
    await probity('reject', 'again', '--reason', 'it steals mail');
    await probity('remove', 'again');
    const added = await probity('add', listing, '--no-fetch');
    expect(added.stderr).toMatch(
      /warning: an operator rejected again on .*: it steals mail\..*reject again --reason/,
    );
    await probity('remove', 'again');
    expect((await probity('import', listing)).stderr).toContain('it steals mail');
    // It exists now, and nobody decided about it.
    expect((await probity('update', listing, '--no-fetch')).stderr).not.toContain('it steals mail');
  });

  it('advise with commands that work as they are', async () => {
    const { folder: data, close } = await openEmbedded();
    onTestFinished(close);
    const listing = file(listingOf('one', 'https://one.example'));
    const alone = (...args: readonly string[]) =>
      runCommand(['directory', ...args], { env: { DATABASE_URL: '' } });
    const pasted = async (text: string) => {
      const [, command = ''] = /(probity directory [^`\n]+)/.exec(text) ?? [];
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
      return runCommand(words.slice(1), { env: { DATABASE_URL: '' } });
    };
    expect((await alone('add', listing, '--no-fetch', '--data', data)).code).toBe(0);
    const held = await alone('hold', 'one', '--reason', 'a test', '--data', data);
    expect((await pasted(held.stderr)).stderr).toContain('as its last test decided');
    const paused = await alone('pause', 'one', '--reason', 'a test', '--data', data);
    expect((await pasted(paused.stderr)).stderr).toContain('probed and tested again');
    const again = await alone('add', listing, '--no-fetch', '--data', data);
    expect(again.code).toBe(2);
    expect((await pasted(again.stderr)).stdout).toContain('one  hold');
    // What only a test can decide, a check of the author does not decide here.
    for (const text of [
      (await alone('list', '--data', data)).stdout,
      (await alone('show', 'one', '--data', data)).stdout,
    ]) {
      expect(text).not.toContain('probity check');
      expect(text).toContain(`\`probity directory test one --data ${data}\` waits for the result`);
    }
    const backup = path.join(data, 'saved.gz');
    const saved = await runCommand(['directory', 'backup', backup, '--data', data], {
      env: { DATABASE_URL: '' },
    });
    expect(saved.stderr).toContain(`: probity directory restore ${backup} --data restored`);
    const unknown = await alone('show', 'nobody', '--data', data);
    expect((await pasted(unknown.stderr)).stdout).toContain('one  hold');
  });

  it.each([
    [['hold', '--reason', ' '], 'The reason is empty'],
    [['hold', '--reason', 'x'.repeat(2001)], 'The reason has 2001 characters. Give one of at most 2000'],
    [
      ['hold', '--reason', 'r', '--public-reason', 'x'.repeat(100_000)],
      'The public reason has 100000 characters',
    ],
    [['pause', '--reason', 'r', '--until', '2030-01-01T00:00:00'], 'a time in the future with its zone'],
    [['pause', '--reason', 'r', '--until', '9999-12-31T00:00:00Z'], 'at most 366 days ahead'],
    [['hold', '--reason', 'r', '--by', 'x'.repeat(201)], '--by must be a name of 1 to 200 characters'],
  ])('are refused as over HTTP: %j', async ([action = '', ...args], words) => {
    const { code, stderr } = await probity(action, 'nobody', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it('are named by a test of a server that is not tested', async () => {
    const asked = { ...listingOf('refuses', 'https://refuses.example'), tests: false };
    await probity('add', file(listingOf('away', 'https://away.example'), asked), '--no-fetch');
    const paused = await probity('pause', 'away', '--reason', 'moves', '--until', '2h');
    expect(paused.code).toBe(0);
    const tested = await probity('test', 'away', '--wait', '1');
    expect(tested).toMatchObject({ code: 2, stdout: '' });
    expect(tested.stderr).toMatch(
      /^away is paused until \d{4}-.*Z, and is not tested\. Resume it with: probity directory resume away --reason /,
    );
    const refused = await probity('test', 'refuses', '--wait', '1');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('approve refuses --reason')]);
  });

  it('restore a backup of a PostgreSQL server into a folder, not into that server', async () => {
    await probity('add', file(listingOf('saved', 'https://saved.example')), '--no-fetch');
    const backup = path.join(emptyFolder(), 'saved.gz');
    const { stderr } = await probity('backup', backup);
    expect(stderr).toContain(`DATABASE_URL= probity directory restore ${backup} --data restored`);
  });

  it('name entries with the same endpoint, however it is written', async () => {
    await probity(
      'import',
      file(
        listingOf('twin-a', 'https://Twins.example:443/api/'),
        listingOf('twin-b', 'https://twins.example/api'),
        listingOf('other', 'https://twins.example/API'),
      ),
    );
    expect(await shown('twin-a')).toMatchObject({ duplicates: ['twin-b'] });
    expect(linesOf((await probity('list', '--duplicates', '--json')).stdout)).toMatchObject([
      { id: 'twin-a', duplicates: ['twin-b'] },
      { id: 'twin-b', duplicates: ['twin-a'] },
    ]);
    const [imported] = linesOf((await probity('log', '--max', '1', '--json')).stdout);
    expect(imported).toMatchObject({ action: 'import', details: '{"listings":3,"listed":false}' });
  });

  it.each([
    ['hold', ['--reason', ' '], /The reason is empty/],
    ['pause', ['--reason', 'x', '--until', 'tomorrow'], /30s, 15m, 1h or 1d/],
    ['pause', ['--reason', 'x', '--until', '9999-12-31T23:59:59-14:00'], /at most 366 days ahead/],
    ['pause', ['--reason', 'x', '--until', '400d'], /at most 366 days ahead/],
    ['pause', ['--reason', 'x', '--until', '2020-01-01T00:00:00Z'], /in the future/],
    ['approve', [], /--reason/],
    ['hold', ['--reason', 'x', '--until', '2h'], /unknown option '--until'/],
  ])('%s refuses %j', async (action, args, message) => {
    const refused = await probity(action, 'kept', ...args);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('of keys are logged without their secrets', async () => {
    const made = await probity('key', 'create', 'client', '--by', 'ada', '--json');
    const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
    await probity('key', 'revoke', id);
    const { stdout } = await probity('log', '--max', '2', '--json');
    expect(linesOf(stdout)).toMatchObject([
      { action: 'revoke-key', details: `{"key":"${id}"}` },
      { action: 'create-key', operator: 'ada', details: expect.stringContaining(id) },
    ]);
    expect(stdout).not.toContain(key.slice(15));
  });
});
