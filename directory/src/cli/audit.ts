import { say, UsageError } from 'probity/command-line';
import { expiryOfAudit } from '../auditing/audit-entry.ts';
import {
  type Audit,
  type AuditSelection,
  type AuditTier,
  continueAudit,
  createAudit,
  readAudit,
} from '../auditing/audits.ts';
import { conductAudit, newAuditId } from '../auditing/conduct-audit.ts';
import type { Store } from '../db/open-store.ts';
import { SILENT, startJobs } from '../jobs/start-jobs.ts';
import { workDirectory } from '../service/work.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { printAudit, requireAudit } from './audits.ts';
import { commandFor, type StoreFlags, withStore } from './store-flags.ts';
import { logOptions, type WorkFlags, workSettings } from './work-flags.ts';

interface AuditFlags extends WorkFlags {
  readonly tier?: AuditTier;
  readonly all?: boolean;
  /** Days; true: the default. */
  readonly stale?: number | true;
  readonly query?: string;
  readonly changed?: boolean;
  /** Id of an audit. */
  readonly continue?: string;
}

const DEFAULT_STALE_DAYS = 2;
const INCOMPLETE = 4;

/** Audits entries, works on the audit itself, and prints its books and what changed. */
export async function audit(flags: AuditFlags): Promise<void> {
  const settings = { ...(await workSettings(flags)), queues: ['audit'] as const, metrics: null };
  const begin = beginning(flags);
  await withStore(flags, async (store) => {
    const started = await begin(store);
    say(`Audit ${started.id}: ${started.entries} servers (${started.selection}), tier ${started.tier}.`);
    await conduct(store, settings, flags, started);
    const ended = (await readAudit(store.db, started.id)) ?? started;
    await printAudit(store.db, ended, flags);
    if (ended.state === 'interrupted')
      say(
        `The audit was interrupted. Continue it with: ${commandFor(`audit --continue ${ended.id}`, flags)}`,
      );
    if (ended.state === 'frozen')
      say(
        `The audit was frozen and must not be quoted. When the cause is gone, continue it with: ${commandFor(`audit --continue ${ended.id}`, flags)}`,
      );
    if (ended.state !== 'ended') process.exitCode = INCOMPLETE;
  });
}

/** Reads the flags before the store is opened. */
function beginning(flags: AuditFlags): (store: Store) => Promise<Audit> {
  const selections = selectionsIn(flags);
  const { continue: continued, tier } = flags;
  if (continued !== undefined) {
    if (selections.length > 0 || tier !== undefined)
      throw new UsageError(
        '--continue takes the tier and the servers from the audit. Leave the other options out.',
      );
    return ({ db }) => resume(db, continued, flags);
  }
  const [selection = { kind: 'all' } as const, ...others] = selections;
  if (others.length > 0) throw new UsageError('Choose one of --all, --stale, --query and --changed.');
  return async ({ db }) => {
    const begun = await createAudit(db, { id: newAuditId(), tier: tier ?? 'health', selection });
    if (begun === null)
      throw new UsageError(
        selection.kind === 'all'
          ? `There are no servers yet. Add some, with a file of listings: ${commandFor('import listings.ndjson', flags)}`
          : 'No server is selected. Choose others with --all, --stale, --query or --changed.',
      );
    return begun;
  };
}

function selectionsIn({ all, stale, query, changed }: AuditFlags): readonly AuditSelection[] {
  return [
    ...(all === true ? [{ kind: 'all' } as const] : []),
    ...(stale === undefined
      ? []
      : [{ kind: 'stale', days: stale === true ? DEFAULT_STALE_DAYS : stale } as const]),
    ...(query === undefined ? [] : [{ kind: 'query', text: query } as const]),
    ...(changed === true ? [{ kind: 'changed' } as const] : []),
  ];
}

async function resume(db: Store['db'], id: string, flags: StoreFlags): Promise<Audit> {
  const known = await requireAudit(db, id, flags);
  if (known.state === 'ended')
    throw new UsageError(`The audit ${id} has ended. Show it with: ${commandFor(`audits ${id}`, flags)}`);
  return continueAudit(db, id);
}

/** Conducts an audit until it ends or the user interrupts it, and works on it, unless the embedded database is borrowed. */
async function conduct(
  store: Store,
  settings: ServiceSettings,
  flags: AuditFlags,
  started: Audit,
): Promise<void> {
  const interrupting = new AbortController();
  const interrupt = (): void => {
    process.once('SIGINT', () => process.exit(130));
    interrupting.abort();
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  if (store.isBorrowed) say('The running service works on the audit; this command only leads it.');
  const worker = store.isBorrowed ? null : await workDirectory(store, settings, logOptions(flags));
  const jobs = await startJobs(store, SILENT, { works: false });
  const progress = createProgress(started);
  try {
    await conductAudit({
      db: store.db,
      jobs,
      audit: started,
      expireInSeconds: expiryOfAudit(started.tier, settings),
      signal: interrupting.signal,
      onProgress: progress.show,
    });
  } finally {
    progress.end();
    await worker?.stop();
    await jobs.stop();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

const LINE_EVERY_MS = 10_000;

/** One line that changes on a terminal; a line every ten seconds elsewhere. */
function createProgress({ entries }: Audit): { show(waiting: number): void; end(): void } {
  const startedAtMs = performance.now();
  let waitingAtStart: number | null = null;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  return {
    show: (waiting) => {
      waitingAtStart ??= waiting;
      const nowMs = performance.now();
      if (process.stderr.isTTY !== true && nowMs - shownAtMs < LINE_EVERY_MS) return;
      shownAtMs = nowMs;
      const perSecond = ((waitingAtStart - waiting) * 1000) / Math.max(1, nowMs - startedAtMs);
      const left = perSecond > 0 ? `, ${durationWords(waiting / perSecond)} left` : '';
      const line = `${entries - waiting} of ${entries} servers, ${perSecond.toFixed(1)}/s${left}`;
      if (process.stderr.isTTY === true) process.stderr.write(`\r\u001b[2K${line}`);
      else say(line);
    },
    end: () => {
      if (process.stderr.isTTY === true) process.stderr.write('\r\u001b[2K');
    },
  };
}

function durationWords(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
