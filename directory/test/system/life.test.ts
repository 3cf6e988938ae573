// The life of a directory, as its operator sees it: servers of each kind, what happens to them, and the state of each and
// the decision on it at each time. The code and the clock are the real ones; only the intervals are shorter, by `FACTOR`.
// With PRINT_LIFE=1, the table is printed also if all is as expected.

import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerDetails } from 'probity/model';
import { afterAll, describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { defineFunction, FunctionFailure } from '../../../src/reference/define-function.ts';
import { eventually } from '../../../test/eventually.ts';
import { startHttpSubject } from '../../../test/mcp/http-subject.ts';
import type { MutantRequest, Operation } from '../../../test/mutants/mutant.ts';
import { startMutantServer } from '../../../test/mutants/mutant-server.ts';
import { hangUp, inHealth, instead, json } from '../../../test/mutants/mutations.ts';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { openTargetKeys } from '../../src/cli/target-keys.ts';
import { decideAsOperator, type OperatorDecision } from '../../src/entries/operator-decisions.ts';
import { storePolicy } from '../../src/entries/policies.ts';
import { DEFAULT_POLICY } from '../../src/settings/policy.ts';
import { DEFAULT_SETTINGS, QUEUE_NAMES } from '../../src/settings/settings.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { startTarget } from '../target.ts';

/** How much faster than usual probes and tests follow one another: a probe every half second, a test every 144 s. */
const FACTOR = 600;

type State = `${ServerDetails['status']}, ${ServerDetails['listing']['decision']}`;
type Expected = Readonly<Record<string, State>>;

describe('the life of a directory, on the embedded store', () => lives(async () => null));
describe('the life of a directory, on PostgreSQL', unless(whyNoPostgres()), () => {
  let postgres: TestPostgres | undefined;
  afterAll(() => postgres?.stop());
  lives(async () => {
    postgres ??= await startPostgres();
    return postgres.database('life');
  });
});

/** Only with the right code, which nobody knows. */
const unlock = defineFunction({
  name: 'unlock',
  description: 'Opens the door, if the code is right.',
  parameters: {
    type: 'object',
    properties: { code: { type: 'string', description: 'The code of the door.' } },
    required: ['code'],
  },
  returns: { type: 'object', properties: { door: { type: 'string', description: 'Its state.' } } },
  examples: [],
  run: () => {
    throw new FunctionFailure('The code is wrong.');
  },
});

/** Longer than all others take. */
const SLOW_MS = 25;

const KEYS = { gated: 'key-of-gated', keyed: 'key-of-keyed' } as const;

function withKey(key: string) {
  const challenge = 'Bearer resource_metadata="https://keys.example/.well-known/oauth-protected-resource"';
  return instead((request) =>
    request.authorization === `Bearer ${key}`
      ? undefined
      : {
          ...json(401, { error: { code: 'UNAUTHORIZED', message: 'A key is required.' } }),
          headers: { 'www-authenticate': challenge },
        },
  );
}

/** The servers, and what can happen to them. */
async function startServers() {
  const closing: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closing) await close();
  });
  const opened = async <Server extends { readonly close: () => Promise<void> }>(
    starting: Promise<Server>,
  ): Promise<Server> => {
    const server = await starting;
    closing.push(server.close);
    return server;
  };
  const state = {
    /** Flaky is away from the first request of this kind on; `all`: also from others. */
    awayFrom: null as Operation | 'all' | null,
    isAway: false,
    isBroken: false,
  };
  const flaky = instead(({ operation }: MutantRequest) => {
    if (state.awayFrom === 'all' || operation === state.awayFrom) state.isAway = true;
    return state.isAway && state.awayFrom !== null ? hangUp() : undefined;
  });
  const down = await startTarget({ execute: (_call, response) => response.end() });
  await down.close();
  const urls = {
    'good-a': (await opened(startMutantServer('A'))).url,
    'good-b': (await opened(startMutantServer('B'))).url,
    'mcp-sessions': (await opened(startHttpSubject({ only: ['add'] }))).url,
    'mcp-stateless': (await opened(startHttpSubject({ only: ['add'], era: 'stateless' }))).url,
    gated: (await opened(startMutantServer('B', { mutate: withKey(KEYS.gated) }))).url,
    keyed: (await opened(startMutantServer('B', { mutate: withKey(KEYS.keyed) }))).url,
    flaky: (await opened(startMutantServer('B', { mutate: flaky }))).url,
    slow: (
      await opened(
        startMutantServer('B', {
          mutate: () => async (request, conform) => delay(SLOW_MS).then(() => conform(request)),
        }),
      )
    ).url,
    down: down.url,
    paused: (await opened(startMutantServer('B'))).url,
    undecided: (await opened(startMutantServer('B', undefined, undefined, [unlock]))).url,
    breaks: (
      await opened(
        startMutantServer('B', {
          mutate: inHealth((record) => (state.isBroken ? { ...record, uptime: 'long' } : record)),
        }),
      )
    ).url,
  };
  const web = await opened(startTarget({ execute: (_call, response) => void response.end('a document') }));
  return { state, web, urls: { ...urls, duplicate: urls['good-a'] } };
}

function lives(databaseUrl: () => Promise<string | null>): void {
  it('shows each server as it is, and decides by its contract', async () => {
    const { state, web, urls } = await startServers();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-keys-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'keys.env');
    await writeFile(file, `PROBITY_TARGET_KEYED=${KEYS.keyed}\n`, { mode: 0o600 });
    const targetKeys = await openTargetKeys(file, {}, (words) => expect.unreachable(words));
    const idle = await startDirectory({ databaseUrl: await databaseUrl(), queues: [] });
    onTestFinished(idle.stop);
    for (const [id, endpoint] of Object.entries(urls))
      await idle.add(
        listingOf(id, endpoint, {
          repository: `${web.url}/source`,
          documentation: `${web.url}/docs`,
          ...(id.startsWith('mcp') ? { protocol: 'mcp' } : {}),
          ...(id === 'gated' || id === 'keyed' ? { bearerEnv: `PROBITY_TARGET_${id.toUpperCase()}` } : {}),
        }),
      );
    const { db } = idle.store;
    await storePolicy(db, { ...DEFAULT_POLICY, minimumCoverage: 100 });
    const act = (id: string, more: Pick<OperatorDecision, 'action'> & Partial<OperatorDecision>) =>
      decideAsOperator(db, id, { reason: 'of the test', operator: 'ada', ...more });
    // Before anything works, which could already have listed it.
    await act('paused', { action: 'pause', until: new Date(Date.now() + 365 * 24 * 3_600_000) });
    const directory = await idle.another({
      queues: QUEUE_NAMES,
      probeEveryMs: DEFAULT_SETTINGS.probeEveryMs / FACTOR,
      testEveryMs: DEFAULT_SETTINGS.testEveryMs / FACTOR,
      environment: targetKeys.environment,
      targetKeys,
      limits: {
        read: { name: 'read', calls: 1_000_000, windowSeconds: 60 },
        targetTests: { name: 'target-tests', calls: 1000, windowSeconds: 60 },
      },
    });
    onTestFinished(directory.stop);
    const life = startLife(directory, Object.keys(urls));
    const good = {
      'good-a': 'up, list',
      'good-b': 'up, list',
      duplicate: 'up, list',
      slow: 'up, list',
    } as const;
    const eras = { 'mcp-sessions': 'up, list', 'mcp-stateless': 'up, list' } as const;
    let now: Expected = {
      ...good,
      ...eras,
      ...{ gated: 'gated, hold', keyed: 'up, list', flaky: 'up, list', breaks: 'up, list' },
      ...{ down: 'down, hold', paused: 'paused, hold', undecided: 'undecided, hold' },
    };
    await life.comesTo('tested for the first time', now);
    const gated = await directory.details('gated');
    expect(gated).toMatchObject({
      figures: 'observed',
      uptime: 100,
      gate: { httpStatus: 401, hasKey: false, metadataUrl: expect.stringContaining('https://keys.example/') },
    });
    expect(gated.gate?.remedy).toContain('PROBITY_TARGET_GATED=KEY');
    expect((await directory.details('undecided')).missing.join(' ')).toContain('unlock');
    expect((await directory.test('paused')).status).toBe(503);
    expect((await directory.execute('paused', { function: 'add', input: { a: 1, b: 2 } })).status).toBe(503);

    state.awayFrom = 'all';
    now = { ...now, flaky: 'down, list' };
    await life.comesTo('flaky is away', now);
    // Somebody asks for a test meanwhile.
    expect((await directory.test('flaky')).status).toBe(200);
    await life.comesTo('flaky is tested for a caller while it is away', now);
    await directory.plannedTest('flaky');
    await life.comesTo('flaky is tested by plan while it is away', now);
    state.awayFrom = null;
    state.isAway = false;
    now = { ...now, flaky: 'up, list' };
    await life.comesTo('flaky is back', now);
    const before = (await directory.details('flaky')).history.length;
    await eventually(
      () => directory.details('flaky'),
      ({ history }) => history.length > before,
    );
    await life.comesTo('flaky is tested again by itself', now);

    for (const operation of ['health', 'capabilities', 'execute'] as const) {
      state.awayFrom = operation;
      await directory.plannedTest('flaky');
      await life.comesTo(`flaky goes away during a test, at its ${operation}`, {
        ...now,
        // The next probe sees it too.
        flaky: 'down, list',
      });
      state.awayFrom = null;
      state.isAway = false;
      await life.comesTo(`flaky is back after an outage at its ${operation}`, now);
      await directory.plannedTest('flaky');
      expect(await directory.details('flaky')).toMatchObject({ doubt: null, listing: { decision: 'list' } });
    }

    state.isBroken = true;
    expect(await (await directory.test('breaks')).json()).toMatchObject({ verdict: 'fail' });
    await life.comesTo('breaks breaks its contract, which a caller sees', now);
    now = { ...now, breaks: 'up, reject' };
    await life.comesTo('breaks was seen twice', now);

    await writeFile(file, `PROBITY_TARGET_KEYED=wrong\nPROBITY_TARGET_GATED=${KEYS.gated}\n`);
    now = { ...now, gated: 'up, list', keyed: 'gated, list' };
    await life.comesTo('the operator gives a key, and a wrong one', now);
    expect((await directory.details('keyed')).gate).toMatchObject({ hasKey: true });
    await writeFile(file, `PROBITY_TARGET_KEYED=${KEYS.keyed}\nPROBITY_TARGET_GATED=${KEYS.gated}\n`);
    now = { ...now, keyed: 'up, list' };
    await life.comesTo('the operator corrects it', now);

    await act('undecided', { action: 'approve' });
    await act('good-b', { action: 'hold' });
    await act('paused', { action: 'pause', until: new Date() });
    now = { ...now, undecided: 'undecided, list', 'good-b': 'up, hold', paused: 'up, list' };
    await life.comesTo('the operator approves one and holds another; a pause ends by itself', now);

    state.isBroken = false;
    await act('good-b', { action: 'release' });
    await directory.plannedTest('breaks');
    now = { ...now, 'good-b': 'up, list', breaks: 'up, list' };
    await life.comesTo('breaks is corrected, and the other released', now);
    life.end();
  });
}

/** The table of what was expected and seen. */
function startLife({ store }: DirectoryUnderTest, ids: readonly string[]) {
  const lines: string[] = [];
  const statesNow = async (): Promise<Expected> => {
    const rows = await store.db.selectFrom('entries').select(['id', 'status', 'decision']).execute();
    const states = rows.map(({ id, status, decision }): [string, State] => [id, `${status}, ${decision}`]);
    return Object.fromEntries(states);
  };
  let waiting: { readonly title: string; readonly expected: Expected } | null = null;
  let seen: Expected = {};
  const note = (title: string, expected: Expected): void => {
    const cells = ids.map((id) =>
      seen[id] === expected[id] ? seen[id] : `expected ${expected[id]}; seen ${seen[id]}`,
    );
    lines.push(`| ${[title, ...cells].join(' | ')} |`);
  };
  const print = (): void => {
    const heads = ['as expected and seen', ...ids];
    process.stdout.write(
      `| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}\n${lines.join('\n')}\n`,
    );
  };
  onTestFailed(() => {
    if (waiting !== null) note(waiting.title, waiting.expected);
    print();
  });
  return {
    /** Waits until all are as expected. */
    comesTo: async (title: string, expected: Expected): Promise<void> => {
      waiting = { title, expected };
      await eventually(
        async () => {
          seen = await statesNow();
          return seen;
        },
        (states) => ids.every((id) => states[id] === expected[id]),
      );
      note(title, expected);
      waiting = null;
    },
    end: (): void => {
      if (process.env.PRINT_LIFE === '1') print();
    },
  };
}
