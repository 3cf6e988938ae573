import { sql } from 'kysely';
import { readTarget } from '../entries/entries.ts';
import type { Service } from '../http/service.ts';
import { endAttempt, endingOf } from '../jobs/attempts.ts';
import { postponeDue } from '../jobs/schedule-due.ts';
import type { Handler } from '../jobs/work-queue.ts';
import { refusalOf } from '../targets/target-access.ts';
import { keepObservedState, type Observer } from './observe-target.ts';

/** A host that is so crowded that its probes wait has many of them. */
const SPREAD_MS = 30_000;

/** Reads /health of the entries in the queue `probe`, and stores the observations. */
export function createProbe(service: Service, observe: Observer): Handler<'probe'> {
  const { store, settings, metrics } = service;
  const { db } = store;
  return async (attempt, signal) => {
    const target = await readTarget(db, attempt.data.entryId);
    // A refused target is not probed, so there is no observation; its next test puts the entry on hold.
    if (target === null) return 'done';
    if (refusalOf(target, settings) !== null) {
      metrics.probes.inc({ outcome: 'refused' });
      return 'done';
    }
    const limited = await observe(target, signal);
    if (limited.kind === 'later') {
      // Not in the queue, where the jobs of a crowded host would take the room of others.
      await postponeDue(db, target.id, 'next_probe_at', { afterMs: limited.afterMs, spreadMs: SPREAD_MS });
      await endAttempt(db, attempt);
      return 'put-off';
    }
    if (signal.aborted) return 'interrupted';
    const { up } = limited.value;
    metrics.probes.inc({ outcome: up === null ? 'unknown' : up ? 'up' : 'down' });
    if (up === null) return 'done';
    await keepObservedState(db, target, limited.value, settings, sql`ended as (${endingOf(attempt)})`);
    return 'ended';
  };
}
