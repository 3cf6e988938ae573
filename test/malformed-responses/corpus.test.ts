import { beforeAll, describe, expect, it } from 'vitest';
import { levelFor } from '../../src/model/requirement.ts';
import { loadRegistry } from '../../src/suite/load-suites.ts';
import { behaviours } from './all-behaviours.ts';
import { ENDPOINTS } from './behaviour.ts';
import { problemsOf, resultIn } from './judge-play.ts';
import { allPlays, somePlays } from './plays.ts';
import { type Outcome, runPlay, shortDeadlineSeconds } from './run-play.ts';

/** `npm run malformed` plays everything; the ordinary tests play a sample. */
const isWhole = process.env.PROBITY_MALFORMED === 'whole';
const plays = isWhole ? allPlays() : somePlays();

const MAX_MEGABYTES_OVER_PLAIN = 150;
const PLAY_TIMEOUT_MS = 600_000;

let plain: Outcome;
let levels: ReadonlyMap<string, 'MUST' | 'SHOULD' | 'MAY'>;

beforeAll(async () => {
  const registry = await loadRegistry();
  levels = new Map([...registry].map(([id, { level }]) => [id, levelFor(level, 'B')]));
  plain = await runPlay(null);
}, PLAY_TIMEOUT_MS);

describe('the conforming server', () => {
  it('passes', () => {
    expect(problemsOf(null, plain, levels)).toEqual([]);
  });
});

describe.concurrent('the malformed-response corpus', () => {
  it.for(plays.map((play) => ({ ...play, id: play.behaviour.id })))(
    '$id on $endpoint',
    { timeout: PLAY_TIMEOUT_MS },
    async (play, { task, expect }) => {
      // A run that is cut short is compared with a whole check beside it, which is as slow as the machine is at that
      // time.
      const isCutShort = shortDeadlineSeconds(play) !== null;
      const [outcome, control] = await Promise.all([runPlay(play), isCutShort ? runPlay(null) : null]);
      const megabytesOverPlain = outcome.peakMegabytes - plain.peakMegabytes;
      const msOverDeadline = (resultIn(outcome)?.durationMs ?? outcome.wallMs) - outcome.deadlineMs;
      task.meta.play = {
        id: play.behaviour.id,
        endpoint: play.endpoint,
        megabytesOverPlain,
        msOverDeadline,
      };
      expect(problemsOf(play, outcome, levels)).toEqual([]);
      expect(megabytesOverPlain).toBeLessThan(MAX_MEGABYTES_OVER_PLAIN);
      expect(msOverDeadline).toBeLessThan(control?.wallMs ?? 0);
    },
  );
});

describe('the list of behaviours', () => {
  it('is long enough, and all ids are unique', () => {
    const ids = behaviours.map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(100);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('names rows of the registry only', () => {
    const rows = behaviours.flatMap(({ finds }) => ENDPOINTS.flatMap((endpoint) => finds[endpoint]));
    const unknown = rows.filter(({ row }) => !row.includes('*') && !levels.has(row));
    expect(unknown).toEqual([]);
  });

  it('fails no transport row for a legal behaviour', () => {
    const transport = /reachable$|json-object$/;
    const blamed = behaviours.filter(
      ({ legal, finds }) =>
        legal &&
        ENDPOINTS.some((endpoint) =>
          finds[endpoint].some(({ row, outcome }) => outcome === 'failed' && transport.test(row)),
        ),
    );
    expect(blamed.map(({ id }) => id)).toEqual([]);
  });
});
