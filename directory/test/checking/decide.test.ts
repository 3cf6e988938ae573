import fc from 'fast-check';
import type { ListingDecision, ListingJudgement } from 'probity/model';
import { describe, expect, it } from 'vitest';
import { decide, type Look, type Standing } from '../../src/checking/decide.ts';
import { earlyTestAt } from '../../src/jobs/test-pace.ts';

const DAY_MS = 24 * 3_600_000;
const PACE = { testEveryMs: DAY_MS };
const START_MS = Date.UTC(2026, 0, 1);

const NEW: Standing = { decision: 'hold', doubt: null, earlyTests: 0, testedAt: null, decidedAt: null };
const LISTED: Standing = {
  ...NEW,
  decision: 'list',
  testedAt: new Date(START_MS - DAY_MS),
  decidedAt: new Date(START_MS - DAY_MS),
};

function judged(decision: ListingDecision): ListingJudgement {
  return { decision, rows: [] };
}

/** What a test may see of a server whose contract is good, or bad, whether the server is away meanwhile or not. */
type Kind = 'clean' | 'away' | 'away for a time';

function lookAt(atMs: number, contract: 'list' | 'hold' | 'reject', kind: Kind, isPlanned = true): Look {
  const seen =
    kind === 'clean' ? contract : kind === 'away' ? null : contract === 'list' ? 'reject' : contract;
  return {
    at: new Date(atMs),
    judgement: seen === null ? null : judged(seen),
    reason: 'what it saw',
    isPlanned,
    sawOutage: kind === 'away for a time',
    isCertain: false,
  };
}

function afterLook(standing: Standing, look: Look): Standing {
  const { decided, ...rest } = decide(standing, look, PACE);
  return { ...standing, ...rest, decision: decided ?? standing.decision };
}

interface Event {
  readonly kind: Kind | 'requested, good' | 'requested, bad';
  readonly afterMs: number;
}

const event = fc.record<Event>({
  kind: fc.constantFrom('clean', 'away', 'away for a time', 'requested, good', 'requested, bad'),
  // The clock may be set back.
  afterMs: fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }),
});

/** The decisions on a server after each of the events. */
function lifeOf(
  start: Standing,
  contract: 'list' | 'hold' | 'reject',
  events: readonly Event[],
): readonly Standing[] {
  let [standing, atMs] = [start, START_MS];
  return events.map(({ kind, afterMs }) => {
    atMs += afterMs;
    const look =
      kind === 'requested, good' || kind === 'requested, bad'
        ? lookAt(atMs, kind === 'requested, good' ? 'list' : 'reject', 'clean', false)
        : lookAt(atMs, contract, kind);
    standing = afterLook(standing, look);
    return standing;
  });
}

/** The most tests in a row that an outage spoiled, without those that saw nothing else. */
function mostSpoiled(events: readonly Event[]): number {
  let [most, now] = [0, 0];
  for (const { kind } of events) {
    if (kind === 'clean') now = 0;
    if (kind === 'away for a time') now += 1;
    most = Math.max(most, now);
  }
  return most;
}

describe('a decision', () => {
  it('lets a good server stay listed, in any order of tests, outages and requests', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        fc.pre(mostSpoiled(events) < 4);
        for (const { decision } of lifeOf(LISTED, 'list', events)) expect(decision).toBe('list');
      }),
    );
  });

  it.each(['hold', 'reject'] as const)('leaves out a server in the end that is to be: %s', (contract) => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const looks = events.filter(({ kind }) => kind === 'clean' || kind === 'away for a time');
        const last = lifeOf(LISTED, contract, events).at(-1) ?? LISTED;
        if (looks.length >= 4) expect(last.decision).toBe(contract);
        if (looks.length < 2) expect(last.decision).toBe('list');
      }),
    );
  });

  it('never gets better or worse by what callers request, but is soon looked at', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('list', 'hold', 'reject'),
        fc.constantFrom('list', 'hold', 'reject'),
        (now, seen) => {
          const standing = { ...LISTED, decision: now };
          const { decided, nextTestBy, ...rest } = decide(
            standing,
            lookAt(START_MS, seen, 'clean', false),
            PACE,
          );
          expect(decided).toBeNull();
          const { doubt, decidedAt, testedAt } = standing;
          expect(rest).toMatchObject({ doubt, decidedAt, testedAt });
          expect(nextTestBy.getTime() - START_MS).toBe(now === seen ? DAY_MS : 60_000);
        },
      ),
    );
  });

  it('is better at once, and clears a doubt', () => {
    const doubtful = afterLook(LISTED, lookAt(START_MS, 'reject', 'clean'));
    expect(doubtful).toMatchObject({ decision: 'list', doubt: { decision: 'reject', looks: 1, outages: 0 } });
    expect(afterLook(doubtful, lookAt(START_MS + 300_000, 'list', 'clean'))).toMatchObject({ doubt: null });
    expect(afterLook({ ...LISTED, decision: 'reject' }, lookAt(START_MS, 'list', 'clean')).decision).toBe(
      'list',
    );
  });

  it('is what the milder of two looks says, and the worse one needs another look', () => {
    const once = afterLook(LISTED, lookAt(START_MS, 'hold', 'clean'));
    const twice = afterLook(once, lookAt(START_MS + 300_000, 'reject', 'clean'));
    expect(twice).toMatchObject({ decision: 'hold', doubt: { decision: 'reject', looks: 1 } });
    expect(afterLook(twice, lookAt(START_MS + 900_000, 'reject', 'clean')).decision).toBe('reject');
  });

  it('is the first one at once, unless the server was away meanwhile', () => {
    expect(afterLook(NEW, lookAt(START_MS, 'reject', 'clean')).decision).toBe('reject');
    expect(afterLook(NEW, lookAt(START_MS, 'reject', 'away for a time')).decision).toBe('hold');
    expect(afterLook(NEW, lookAt(START_MS, 'reject', 'away'))).toMatchObject({
      decision: 'hold',
      decidedAt: null,
    });
  });
});

describe('a second look', () => {
  it('comes after five minutes, and then after pauses that double', () => {
    const pauses: number[] = [];
    let [standing, atMs] = [LISTED, START_MS];
    for (let look = 0; look < 12; look += 1) {
      const { decided: _, nextTestBy, ...rest } = decide(standing, lookAt(atMs, 'list', 'away'), PACE);
      pauses.push((nextTestBy.getTime() - atMs) / 60_000);
      standing = { ...standing, ...rest };
      atMs = nextTestBy.getTime();
    }
    expect(pauses.slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(24 * 60);
  });

  it('costs a server that goes up and down all day few tests', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Kind>('clean', 'away', 'away for a time')), (kinds) => {
        let standing = LISTED;
        let tests = 0;
        let dueAtMs = START_MS;
        // A probe each minute finds it up after it was down.
        for (let atMs = START_MS; atMs < START_MS + DAY_MS; atMs += 60_000) {
          dueAtMs = Math.min(dueAtMs, earlyTestAt(standing, new Date(atMs), PACE).getTime());
          if (atMs < dueAtMs) continue;
          const { decided, nextTestBy, ...rest } = decide(
            standing,
            lookAt(atMs, 'list', kinds[tests % (kinds.length || 1)] ?? 'clean'),
            PACE,
          );
          standing = { ...standing, ...rest, decision: decided ?? standing.decision };
          dueAtMs = nextTestBy.getTime();
          tests += 1;
        }
        expect(tests).toBeLessThanOrEqual(12);
      }),
    );
  });
});
