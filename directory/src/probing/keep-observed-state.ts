import { holdsMsOf, type ServiceSettings } from '../settings/service-settings.ts';
import type { EntryTarget } from '../store/entries.ts';
import { storeObservations } from '../store/observations.ts';
import type { Db } from '../store/open-store.ts';
import type { ObservedState } from './observe-target.ts';

/** Stores a read of /health, in the transaction `db`, unless the entry has another endpoint by now or it shows nothing. */
export async function keepObservedState(
  db: Db,
  target: EntryTarget,
  { exchange, up }: ObservedState,
  settings: ServiceSettings,
): Promise<void> {
  if (up === null) return;
  const { startedAtMs, durationMs } = exchange.timing;
  const observation = {
    entry_id: target.id,
    at: new Date(startedAtMs),
    up,
    operation: 'health',
    duration_ms: up ? durationMs : null,
    source: 'probe',
  } as const;
  const { id, endpoint } = target;
  await storeObservations(db, id, [observation], {
    now: new Date(),
    holdsMs: holdsMsOf(settings),
    endpoint,
  });
}
