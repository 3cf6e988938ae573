import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { headerValue } from '../../src/model/exchange.ts';
import type { TestResult } from '../../src/model/report.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { checkHere } from '../check/check-here.ts';
import { Refused } from '../natural/natural-server.ts';
import { careful, serveNatural } from '../natural/serve-natural.ts';
import { object, text } from '../natural/shapes.ts';
import { type ProtectedOptions, startProtectedServer } from './protected-server.ts';

const EXPLORING = { valid: 2, invalid: 2, again: 1, pairs: 0, sequences: 0, smaller: 0 };

function check(url: string, options: CheckOptions): Promise<TestResult> {
  return checkHere(
    url,
    { seed: 1, latency: { off: true }, exploring: EXPLORING, deadlineMs: 120_000, ...options },
    { signal: new AbortController().signal },
  );
}

const outcomeIn = ({ results }: TestResult) =>
  results.find(({ id }) => id === 'security/identities-apart')?.outcome;
/** Without what a server may do: the SDK also reads lists of messages. */
const failedIn = ({ findings }: TestResult): readonly string[] =>
  findings
    .filter(({ outcome, level }) => outcome === 'failed' && level !== 'MAY')
    .map(({ id, message }) => `${id}: ${message}`);

async function expectSameAgain(result: TestResult): Promise<void> {
  const saved = serialiseReport(result);
  expect(serialiseReport(await judgeReport(JSON.parse(saved) as TestResult))).toBe(saved);
}

/** Every request carries the token of the user that it is meant for. */
function expectOwnTokens({ exchanges }: TestResult): void {
  const others = exchanges.filter(
    ({ request }) =>
      request.key.includes('-other-') || request.message?.conversation.startsWith('other-user'),
  );
  expect(others.length).toBeGreaterThan(4);
  const sent = others.map(({ request }) =>
    'headers' in request ? headerValue(request.headers, 'authorization') : null,
  );
  expect(new Set(sent)).toEqual(new Set(['Bearer $PROBITY_OTHER_TOKEN']));
}

const LEAKS = [
  ['reading', 'another user reads what "create_note" created with "get_note"'],
  ['changing', 'another user deletes what "create_note" created with "delete_note"'],
] as const;

describe.each(['session', 'stateless'] as const)('two users of an MCP server in the era %s', (era) => {
  async function checked(leaks?: ProtectedOptions['leaks']) {
    const server = await startProtectedServer(leaks === undefined ? {} : { leaks });
    onTestFinished(server.close);
    const { issue } = server.login;
    const audience = server.url;
    const bearerTokens = { other: issue({ audience, user: 'ben' }) };
    const bearerToken = issue({ audience, user: 'ann' });
    const result = await check(server.url, { mcp: { era }, bearerToken, bearerTokens });
    return { server, result };
  }

  it('are kept apart, and what the other one creates is deleted', async () => {
    const { server, result } = await checked();
    expect(failedIn(result)).toEqual([]);
    expect(outcomeIn(result)).toBe('passed');
    expect([...server.notes.values()].filter(({ owner }) => owner === 'ben')).toEqual([]);
    expectOwnTokens(result);
    await expectSameAgain(result);
  });

  it.each(LEAKS)('leak by %s', async (leaks, message) => {
    const { result } = await checked(leaks);
    expect(failedIn(result)).toEqual([`security/identities-apart: ${message}`]);
  });
});

it('is undecided if the other user may not use the tools', async () => {
  const server = await startProtectedServer();
  onTestFinished(server.close);
  const result = await check(server.url, {
    mcp: {},
    bearerToken: server.login.issue({ audience: server.url }),
    bearerTokens: { other: 'an-unknown-token' },
    only: ['security/identities-apart'],
  });
  expect(result.results).toMatchObject([{ outcome: 'undecided', because: 'turned-away' }]);
});

it('is not planned without the token of another user', async () => {
  const server = await startProtectedServer();
  onTestFinished(server.close);
  const result = await check(server.url, {
    mcp: {},
    bearerToken: server.login.issue({ audience: server.url }),
  });
  expect(outcomeIn(result)).toBeUndefined();
});

/** A server with the three endpoints that keeps notes of its users, whose names are their tokens. */
async function notesOverRest(form: 'A' | 'B', leaks?: ProtectedOptions['leaks']) {
  const notes = new Map<string, { readonly owner: string; readonly text: string }>();
  let user = '';
  let count = 0;
  const owned = (id: string, isOpen: boolean) => {
    const note = notes.get(id);
    if (note === undefined || (note.owner !== user && !isOpen))
      throw new Refused('NOT_FOUND', 'There is no such note.', 404);
    return note;
  };
  const id = text('The id of the note');
  const note = object({ id, text: text('The text') });
  const service = { name: 'notes', version: '1.0.0', description: 'Notes.' };
  const functions = [
    {
      name: 'create_note',
      description: 'Creates a note.',
      parameters: object({ text: text('The text') }),
      returns: note,
      examples: [{ text: 'milk' }],
      run: ({ text: given }: { text: string }) => {
        count += 1;
        notes.set(`note-${count}`, { owner: user, text: given });
        return { id: `note-${count}`, text: given };
      },
    },
    {
      name: 'get_note',
      description: 'Gets a note by its id.',
      parameters: object({ id }),
      returns: note,
      run: ({ id: given }: { id: string }) => ({ id: given, text: owned(given, leaks === 'reading').text }),
    },
    {
      name: 'delete_note',
      description: 'Deletes a note by its id.',
      parameters: object({ id }),
      returns: object({ id }),
      run: ({ id: given }: { id: string }) => {
        owned(given, leaks === 'changing');
        notes.delete(given);
        return { id: given };
      },
    },
  ];
  const admit: typeof careful.admit = ({ headers }) => {
    user = /^Bearer (ann|ben)-4711$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (user === '') throw new Refused('UNAUTHORIZED', 'Log in.', 401);
  };
  const server = await serveNatural({ ...service, functions }, form, () => undefined, { ...careful, admit });
  onTestFinished(server.close);
  const result = await check(server.url, {
    bearerToken: 'ann-4711',
    bearerTokens: { other: 'ben-4711' },
    skip: ['documentation/*'],
  });
  return { result, notes };
}

describe.each(['A', 'B'] as const)('two users of a server of form %s', (form) => {
  it('are kept apart, and what the other one creates is deleted', async () => {
    const { result, notes } = await notesOverRest(form);
    expect(failedIn(result)).toEqual([]);
    expect(outcomeIn(result)).toBe('passed');
    expect([...notes.values()].filter(({ owner }) => owner === 'ben')).toEqual([]);
    expectOwnTokens(result);
    await expectSameAgain(result);
  });

  it.each(LEAKS)('leak by %s', async (leaks, message) => {
    const { result } = await notesOverRest(form, leaks);
    expect(failedIn(result)).toEqual([`security/identities-apart: ${message}`]);
  });
});
