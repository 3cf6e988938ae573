import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedactor } from '../../../src/probe/redactor.ts';
import { systemClock } from '../../../src/probe/system-clock.ts';
import { openHttp } from '../../../src/run/conversations/open-http.ts';
import { openProcess, type ProcessOpening } from '../../../src/run/conversations/open-process.ts';
import type { Opening } from '../../../src/run/conversations/opened.ts';
import { emptyFolder } from '../../cli/run-command.ts';
import { eventually } from '../../eventually.ts';
import { ERA_SERVER, startEraServer } from './start-era-server.ts';

const COMMON = {
  era: 'auto',
  handshake: true,
  client: { name: 'probity', version: '0.0.0' },
  startTimeoutMs: 300_000,
  signal: new AbortController().signal,
  clock: systemClock,
  redactor: createRedactor([]),
} as const;

interface Started {
  readonly opening: Opening;
  /** What each process received, in order. */
  readonly received: readonly (readonly string[])[];
}

/** The methods that each process has received. */
function methodsIn(log: string): readonly (readonly string[])[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const pairs = lines.map((line) => line.split(' '));
  return [...new Set(pairs.map(([id]) => id))].map((id) =>
    pairs.filter(([one]) => one === id).map(([, method = '']) => method),
  );
}

async function openCommand(
  options: Readonly<Record<string, unknown>>,
  settings: Partial<ProcessOpening> = {},
): Promise<Started> {
  const log = path.join(emptyFolder(), 'log');
  const opening = await openProcess({
    ...COMMON,
    command: [process.execPath, ERA_SERVER, JSON.stringify({ ...options, log })],
    env: {},
    cwd: null,
    silenceMs: 300_000,
    ...settings,
  });
  if (opening.kind === 'open') await opening.conversation.close();
  return { opening, received: methodsIn(log) };
}

describe('the era of a process', () => {
  it('is stateless if it answers server/discover, and nothing else is asked', async () => {
    const { opening, received } = await openCommand({ versions: ['2025-11-25', '2026-07-28'] });
    expect(opening).toMatchObject({
      kind: 'open',
      spoken: { channel: 'stdio', era: 'stateless', version: '2026-07-28' },
      nextId: 2,
      notes: [],
    });
    expect(received).toEqual([['server/discover']]);
  });

  it('is that of sessions if it refuses server/discover, in the same process', async () => {
    const { opening, received } = await openCommand({});
    expect(opening).toMatchObject({
      kind: 'open',
      spoken: { era: 'session', version: '2025-11-25' },
      name: 'eras 1.0.0',
    });
    expect(received).toEqual([['server/discover', 'initialize', 'notifications/initialized']]);
  });

  it.each(['session', 'stateless'] as const)('is not asked for if it is given: %s', async (era) => {
    const { opening, received } = await openCommand({ versions: ['2025-11-25', '2026-07-28'] }, { era });
    expect(opening).toMatchObject({ kind: 'open', spoken: { era } });
    expect(received).toEqual([
      era === 'session' ? ['initialize', 'notifications/initialized'] : ['server/discover'],
    ]);
  });

  it('is found with a second process if the first one ends because of server/discover', async () => {
    const { opening, received } = await openCommand({ endsOn: 'server/discover' });
    expect(opening).toMatchObject({ kind: 'open', spoken: { era: 'session' } });
    expect(opening.notes).toEqual([
      'The server ended after server/discover (exit code 9), and was started again with initialize alone.',
    ]);
    expect(received).toEqual([['server/discover'], ['initialize', 'notifications/initialized']]);
  });

  it.each([
    [['2025-11-25'], [['server/discover', 'initialize', 'notifications/initialized']]],
    [['2026-07-28'], [['server/discover', 'initialize'], ['server/discover']]],
  ])('of a server of %s that starts slowly is found by the first answer', async (versions, expected) => {
    const folder = emptyFolder();
    const [gate, log] = [path.join(folder, 'gate'), path.join(folder, 'log')];
    const started = openProcess({
      ...COMMON,
      command: [process.execPath, ERA_SERVER, JSON.stringify({ versions, gate, log })],
      env: {},
      cwd: null,
      silenceMs: 1,
    });
    // It is silent until it was asked both ways.
    await eventually(
      () => methodsIn(log)[0],
      (methods) => methods?.includes('initialize') === true,
    );
    writeFileSync(gate, '');
    const opening = await started;
    if (opening.kind !== 'open') throw new Error(opening.message);
    const isStateless = versions.includes('2026-07-28');
    expect(opening.spoken.era).toBe(isStateless ? 'stateless' : 'session');
    await opening.conversation.close();
    expect(methodsIn(log)).toEqual(expected);
  });

  it('is asked for again in the newest revision that both know, and the first answer is quoted', async () => {
    const { opening } = await openCommand({ versions: ['2024-11-05', '2025-03-26'] });
    expect(opening).toMatchObject({ kind: 'open', spoken: { era: 'session', version: '2025-03-26' } });
    expect(opening.notes).toHaveLength(1);
    expect(opening.notes[0]).toContain('refused the revision 2025-11-25, and was asked again for 2025-03-26');
    expect(opening.notes[0]).toContain('"supported":["2024-11-05","2025-03-26"]');
  });

  it('is unknown if both know no revision', async () => {
    const { opening } = await openCommand({ versions: ['2099-01-01'] });
    expect(opening).toMatchObject({ kind: 'not-open', failure: 'refused' });
  });

  it('is unknown if it does not answer in the time of its start', async () => {
    const gate = path.join(emptyFolder(), 'never');
    const { opening } = await openCommand({ gate }, { startTimeoutMs: 1 });
    expect(opening).toMatchObject({ kind: 'not-open', failure: 'silent' });
  });

  it('is unknown if the ids come back as texts, which is said at once', async () => {
    const { opening, received } = await openCommand({ textIds: true });
    expect(opening).toMatchObject({ kind: 'not-open', failure: 'refused' });
    expect(received).toEqual([['server/discover', 'initialize']]);
    expect(opening.kind === 'not-open' && opening.message).toContain(
      'The answer to initialize has the id "2" (a string), and the request had 2 (a number)',
    );
    const modern = await openCommand({ versions: ['2026-07-28'], textIds: true });
    expect(modern.received).toEqual([['server/discover']]);
    expect(modern.opening).toMatchObject({ kind: 'not-open', failure: 'refused' });
  });

  it('is unknown if a message has several lines, and the first of them is quoted', async () => {
    const { opening } = await openCommand({ spread: true }, { era: 'session', startTimeoutMs: 2000 });
    expect(opening).toMatchObject({ kind: 'not-open', failure: 'silent' });
    expect(opening.kind === 'not-open' && opening.message).toMatch(
      /It wrote \d+ lines that are no answer, the first: \{\. A message is JSON in one line\./,
    );
  });

  it('is unknown if it ends whatever it is asked', async () => {
    const { opening } = await openCommand({ endsOn: 'initialize' });
    expect(opening).toMatchObject({ kind: 'not-open', failure: 'ended' });
    expect(opening.kind === 'not-open' && opening.message).toContain(
      'before it answered initialize: exit code 9',
    );
  });
});

describe('the era over HTTP', () => {
  async function openAddress(options: Readonly<Record<string, unknown>>, key?: string): Promise<Opening> {
    const url = await startEraServer(options, { onTestFinished });
    const headers =
      key === undefined ? [] : [{ name: 'authorization', value: `Bearer ${key}`, shownValue: 'Bearer $KEY' }];
    const opening = await openHttp({ ...COMMON, url, headers, secrets: [], publicOnly: false, ca: null });
    onTestFinished(async () => {
      if (opening.kind === 'open') await opening.conversation.close();
    });
    return opening;
  }

  it.each([
    [['2026-07-28'], 'stateless', '2026-07-28'],
    [['2025-11-25'], 'session', '2025-11-25'],
    [['2025-06-18'], 'session', '2025-06-18'],
  ])('of a server of %s', async (versions, era, version) => {
    expect(await openAddress({ versions })).toMatchObject({
      kind: 'open',
      spoken: { channel: 'http', era, version },
    });
  });

  it('of a server that wants a key is not asked for further', async () => {
    const gated = await openAddress({ key: 'k' });
    expect(gated).toMatchObject({ kind: 'not-open', failure: 'gated' });
    expect(gated.kind === 'not-open' && gated.message).toContain(
      'HTTP 401 and the challenge Bearer resource_metadata="https://x.example"',
    );
    expect(await openAddress({ key: 'k' }, 'k')).toMatchObject({ kind: 'open' });
  });

  it('of the transport of 2024-11-05 is recognised', async () => {
    expect(await openAddress({ old: true })).toMatchObject({ kind: 'not-open', failure: 'old-transport' });
  });

  it('is unknown where nothing listens', async () => {
    const opening = await openHttp({
      ...COMMON,
      ...{ url: 'http://127.0.0.1:9/mcp', headers: [], secrets: [], publicOnly: false, ca: null },
    });
    expect(opening).toMatchObject({ kind: 'not-open', failure: 'unreachable' });
  });
});
