import { beforeAll, describe, expect, it } from 'vitest';
import { levelFor } from '../../src/model/requirement.ts';
import { loadRegistry } from '../../src/suite/load-suites.ts';
import { behaviours } from './all-behaviours.ts';
import { ENDPOINTS } from './behaviour.ts';
import { isOfTime, problemsOf, resultIn } from './judge-play.ts';
import { allPlays, somePlays } from './plays.ts';
import { type Outcome, type Play, runPlay } from './run-play.ts';

/** `npm run zoo` plays everything; the ordinary tests play a part of it. */
const isWhole = process.env.PROBITY_ZOO === 'whole';
const plays = isWhole ? allPlays() : somePlays();

const MOST_MEGABYTES_OVER_PLAIN = 150;
const MOST_MS_OVER_DEADLINE = 100;
/** A report is written twice, and holds what was received. */
const WRITING_MS_PER_MEGABYTE = 60;
/** For a play that a busy machine kept from its end. */
const PATIENCE = 4;
const PLAY_TIMEOUT_MS = 120_000;

let plain: Outcome;
let levels: ReadonlyMap<string, 'MUST' | 'SHOULD' | 'MAY'>;

beforeAll(async () => {
  const registry = await loadRegistry();
  levels = new Map([...registry].map(([id, { level }]) => [id, levelFor(level, 'B')]));
  // The first run warms the file cache.
  await runPlay(null);
  plain = await runPlay(null);
});

describe('the conforming server', () => {
  it('passes', () => {
    expect(problemsOf(null, plain, levels)).toEqual([]);
  });
});

describe.concurrent('the wire zoo', () => {
  it.for(plays.map((play) => ({ ...play, id: play.behaviour.id })))(
    '$id on $endpoint',
    { timeout: PLAY_TIMEOUT_MS },
    async (play, { task }) => {
      const outcome = await runPlay(play);
      const found = problemsOf(play, outcome, levels);
      const problems = found.some(isOfTime) ? problemsOf(play, await runPlay(play, PATIENCE), levels) : found;
      const megabytesOverPlain = outcome.peakMegabytes - plain.peakMegabytes;
      const { id, todo = null } = play.behaviour;
      task.meta.play = {
        id,
        endpoint: play.endpoint,
        megabytesOverPlain,
        msOverDeadline: lateness(outcome),
        todo: problems.length > 0 || megabytesOverPlain > MOST_MEGABYTES_OVER_PLAIN ? todo : null,
      };
      if (todo !== null) return;
      expect(problems).toEqual([]);
      expect(megabytesOverPlain).toBeLessThan(MOST_MEGABYTES_OVER_PLAIN);
      if (lateness(outcome) > MOST_MS_OVER_DEADLINE) await expectInTime(play);
    },
  );
});

/**
 * How long after the deadline the report was finished, or the process had ended but for its start. How long a process
 * takes to start and to end is only measured where nothing else runs.
 */
function lateness(outcome: Outcome): number {
  const durationMs = resultIn(outcome)?.durationMs ?? outcome.wallMs;
  if (!isWhole) return durationMs - outcome.deadlineMs;
  return Math.max(durationMs, outcome.wallMs - startMs()) - outcome.deadlineMs;
}

function startMs(): number {
  return plain.wallMs - (resultIn(plain)?.durationMs ?? 0);
}

/** Next to a run against the conforming server, which shows how much longer everything takes on this machine now. */
async function expectInTime(play: Play, attempts = 3): Promise<void> {
  const [outcome, peer] = await Promise.all([runPlay(play), runPlay(null)]);
  const slowness = Math.max(1, peer.wallMs / plain.wallMs);
  const durationMs = resultIn(outcome)?.durationMs ?? outcome.wallMs;
  const writingMs = (outcome.stdout.length / 1e6) * WRITING_MS_PER_MEGABYTE;
  const lateMs = [
    durationMs - outcome.deadlineMs - slowness * MOST_MS_OVER_DEADLINE,
    isWhole
      ? outcome.wallMs - outcome.deadlineMs - slowness * (MOST_MS_OVER_DEADLINE + startMs() + writingMs)
      : 0,
  ];
  if (lateMs.some((ms) => ms > 0) && attempts > 1) return expectInTime(play, attempts - 1);
  expect(lateMs.map((ms) => Math.max(0, ms))).toEqual([0, 0]);
}

describe('the list of behaviours', () => {
  it('is long enough, and gives each a name of its own', () => {
    const ids = behaviours.map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(100);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('names rows of the registry only', () => {
    const rows = behaviours.flatMap(({ finds }) => ENDPOINTS.flatMap((endpoint) => finds[endpoint]));
    const unknown = rows.filter(({ row }) => !row.includes('*') && !levels.has(row));
    expect(unknown).toEqual([]);
  });

  it('blames no server for what is legal as HTTP and as JSON, but for what the contract says', () => {
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
