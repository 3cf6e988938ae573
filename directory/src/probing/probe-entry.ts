import type { Exchange } from 'probity/model';
import type { Service } from '../http/service.ts';
import { endAttempt } from '../jobs/attempts.ts';
import type { Handler } from '../jobs/work-queue.ts';
import { holdsMsOf } from '../settings/service-settings.ts';
import { type EntryTarget, readTarget } from '../store/entries.ts';
import { storeObservations } from '../store/observations.ts';
import { createOwnNetwork } from './own-network.ts';
import { refusalOf } from './target-access.ts';
import { readHealth } from './target-client.ts';
import { mayBeOurNetwork, stateOf } from './target-state.ts';

/** Reads /health of the entries in the queue `probe`, and stores the observations. */
export function createProbe(service: Service): Handler<'probe'> {
  const { store, settings, metrics } = service;
  const { db } = store;
  const read = async (target: EntryTarget, signal?: AbortSignal): Promise<Exchange> =>
    (await readHealth(target, service, signal)).exchange;
  const network = createOwnNetwork(read);

  const observedState = async (target: EntryTarget, exchange: Exchange): Promise<boolean | null> => {
    if (!mayBeOurNetwork(exchange)) return stateOf(exchange);
    const works = await network.works(target);
    if (works === null) return stateOf(exchange);
    return works ? false : null;
  };

  return async (attempt, signal) => {
    const target = await readTarget(db, attempt.data.entryId);
    // A refused target is not probed, so there is no observation; its next test puts the entry on hold.
    if (target === null) return 'done';
    if (refusalOf(target, settings) !== null) {
      metrics.noteProbe('refused');
      return 'done';
    }
    const exchange = await read(target, signal);
    if (signal.aborted) return 'interrupted';
    network.note(target, exchange);
    const up = await observedState(target, exchange);
    metrics.noteProbe(up === null ? 'unknown' : up ? 'up' : 'down');
    if (up === null) return 'done';
    const { startedAtMs, durationMs } = exchange.timing;
    await db.transaction().execute(async (transaction) => {
      if (!(await endAttempt(transaction, attempt))) return;
      // The entry may have been removed, or its endpoint changed, during the probe.
      const current = await transaction
        .selectFrom('entries')
        .select('endpoint')
        .where('id', '=', target.id)
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (current?.endpoint !== target.endpoint) return;
      await storeObservations(
        transaction,
        target.id,
        [
          {
            entry_id: target.id,
            at: new Date(startedAtMs),
            up,
            operation: 'health',
            duration_ms: up ? durationMs : null,
            source: 'probe',
          },
        ],
        { now: new Date(), holdsMs: holdsMsOf(settings) },
      );
    });
    return 'ended';
  };
}
