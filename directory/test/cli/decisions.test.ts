import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { freshDataFolder, startPostgres, type TestPostgres } from '../db/stores.ts';
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
    const data = await freshDataFolder();
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
    const unknown = await alone('show', 'nobody', '--data', data);
    expect((await pasted(unknown.stderr)).stdout).toContain('one  hold');
    await rm(data, { recursive: true });
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
    ['hold', ['--reason', ' '], /Give a reason/],
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
