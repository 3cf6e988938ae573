import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { allServers } from './all-servers.ts';
import { checkUrl, SEED } from './check-natural.ts';
import type { NaturalRecord } from './natural-server.ts';
import { recordRequests } from './recorded-requests.ts';

/** Servers whose answers depend on nothing but the calls: no clock, no random ids. */
const NAMES: ReadonlySet<string> = new Set(
  'weather geocoder units catalogue parcels desk-calculator bank loans cart graphemes todo'.split(' '),
);
const SLOW_MACHINE = 'scripts/slow-machine.mjs';
const DELAY_MS = 30;
const HARMLESS_EXITS = [0, 1, 4];

/** What one check sends to a server that has just been started. */
async function sentTo(
  record: NaturalRecord,
  delayMs: number,
  check: (url: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const server = await recordRequests(await record.start('B', () => undefined), delayMs);
  try {
    await check(server.url);
    return server.requests();
  } finally {
    await server.close();
  }
}

/** The built command, with a sixth of the processor time. */
async function checkSlowly(url: string): Promise<void> {
  const command = ['dist/probity.js', 'check', url, '--seed', String(SEED), '--no-latency', '--no-store'];
  const child = spawn(
    process.execPath,
    [SLOW_MACHINE, process.execPath, ...command, '--timeout', '300', '--deadline', '3600'],
    { stdio: 'ignore' },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(HARMLESS_EXITS).toContain(code);
}

const servers = allServers.filter(({ name }) => NAMES.has(name));

describe.concurrent('a check with the same seed', () => {
  it.for(servers)('sends the same, slow or quick: $name', async (record) => {
    const quick = await sentTo(record, 0, checkUrl);
    expect(quick.filter((request) => request.includes('"function"')).length).toBeGreaterThan(15);
    expect(await sentTo(record, DELAY_MS, checkUrl)).toEqual(quick);
    expect(await sentTo(record, 0, checkSlowly)).toEqual(quick);
  });
});

it('a slow machine passes the exit code of its command on', async () => {
  const child = spawn(process.execPath, [SLOW_MACHINE, process.execPath, '-e', 'process.exit(7)']);
  expect(await once(child, 'exit')).toEqual([7, null]);
});
