import type { Store } from '../db/open-store.ts';
import { allRows, oneRow } from '../db/rows.ts';
import { SCHEMA_VERSION } from '../db/schema.ts';
import type { Db } from '../db/tables.ts';
import { readPolicy } from '../entries/policies.ts';
import { readQueueStates } from '../jobs/queues.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** A command of the directory on the same store, complete. */
export type CommandFor = (words: string) => string;

/** Examines the store and what is in it. */
export async function examineStore(store: Store, commandFor: CommandFor): Promise<readonly Finding[]> {
  const { db } = store;
  const groups = [
    await versions(store),
    await clock(db),
    await work(db, commandFor),
    await queues(db),
    await farAhead(db, commandFor),
    await keys(db, commandFor),
    await gatedEntries(db),
  ];
  return groups.flat();
}

async function versions({ db, kind }: Store): Promise<readonly Finding[]> {
  const { version, bytes, entries } = await oneRow<{ version: string; bytes: number; entries: number }>(db)`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*) from entries) as entries`;
  const what = kind === 'embedded' ? 'the embedded database' : 'a PostgreSQL server';
  return [
    ok('store', `${what}, version ${version}, with ${entries} entries in ${megabytes(bytes)}`),
    ok('tables', `those of version ${SCHEMA_VERSION}, as this version of Probity needs`),
  ];
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

const MAX_APART_MS = 5000;

async function clock(db: Db): Promise<Finding> {
  const before = Date.now();
  const { nowMs } = await oneRow<{ nowMs: number }>(db)`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as "nowMs"`;
  const after = Date.now();
  const apartMs = nowMs < before ? before - nowMs : Math.max(0, nowMs - after);
  const text = `the clocks of this machine and of the database are ${Math.round(apartMs)} ms apart`;
  return apartMs > MAX_APART_MS
    ? problem('clock', text, 'Set both by NTP: the times of probes, tests and keys are wrong otherwise.')
    : ok('clock', text);
}

const MAX_LATE_MINUTES = 15;

/** Whether something probes and tests the entries. */
async function work(db: Db, commandFor: CommandFor): Promise<Finding> {
  const { late, entries } = await oneRow<{ late: number; entries: number }>(db)`
    select count(*) as entries, count(*) filter (
      where least(next_probe_at, next_test_at) < now() - ${MAX_LATE_MINUTES} * interval '1 minute' and not is_paused
    ) as late
    from entries join entry_details on entry_id = id`;
  if (entries === 0) return ok('work', 'there are no entries to probe and test');
  return late === 0
    ? ok('work', `no probe and no test is more than ${MAX_LATE_MINUTES} minutes late`)
    : problem(
        'work',
        `the probe or the test of ${late} of ${entries} entries is more than ${MAX_LATE_MINUTES} minutes late`,
        `Run a service on this store: ${commandFor('serve')}. If one runs, look at its log, and give it more --concurrency or, with PostgreSQL, more workers.`,
      );
}

const MAX_WAITING_SECONDS = 15 * 60;

/**
 * The first one has a finding of its own. The schedule sends a job to the other each minute, although only processes with
 * --package-command work on it.
 */
const MAY_WAIT: ReadonlySet<string> = new Set(['dead-letter', 'package-check']);

async function queues(db: Db): Promise<readonly Finding[]> {
  const { exists } = await oneRow<{ exists: boolean }>(
    db,
  )`select to_regclass('pgboss.queue') is not null as "exists"`;
  if (!exists) return [ok('queues', 'no service has run on this store yet')];
  const states = await readQueueStates(db);
  const slow = states.filter(
    ({ queue, oldestWaitingSeconds }) => !MAY_WAIT.has(queue) && oldestWaitingSeconds > MAX_WAITING_SECONDS,
  );
  const packages = await waitingPackages(db);
  const waiting = states.map(({ queue, waiting: count }) => `${queue} ${count}`).join(', ');
  const dead = states.find(({ queue }) => queue === 'dead-letter');
  const deadCount = (dead?.waiting ?? 0) + (dead?.failed ?? 0);
  return [
    slow.length === 0
      ? ok('queues', `jobs that wait: ${waiting}`)
      : problem(
          'queues',
          `jobs wait for more than ${MAX_WAITING_SECONDS / 60} minutes in ${slow.map(({ queue }) => queue).join(', ')}`,
          'Run a service or a worker that works on these queues (--queues).',
        ),
    packages === 0
      ? ok('packages', 'no check of a package waits without somebody who makes it')
      : problem(
          'packages',
          `${packages} checks of packages wait for more than ${MAX_WAITING_SECONDS / 60} minutes, and nobody makes them`,
          'Restart the service or the worker with --package-command: it has stopped to check packages. Without one, the jobs are deleted after a day.',
        ),
    deadCount === 0
      ? ok('dead letters', 'no job failed in all of its attempts')
      : warning(
          'dead letters',
          `${deadCount} jobs failed in all of their attempts`,
          'The log of the service says why, at the level error.',
        ),
  ];
}

/**
 * Jobs about a package, which only a process with --package-command adds. It takes the job of the schedule each minute, or
 * is checking a package: if neither is so for long, it has stopped.
 */
async function waitingPackages(db: Db): Promise<number> {
  const { late, isWorkedOn } = await oneRow<{ late: number; isWorkedOn: boolean }>(db)`
    select
      count(*) filter (
        where state < 'active' and data ->> 'name' is not null
        and start_after < now() - ${MAX_WAITING_SECONDS} * interval '1 second'
      )::integer as late,
      coalesce(bool_or(
        started_on > now() - ${MAX_WAITING_SECONDS} * interval '1 second'
        or (state = 'active' and started_on + expire_in > now())
      ), false) as "isWorkedOn"
    from pgboss.job where name = 'package-check'`;
  return isWorkedOn ? 0 : late;
}

/** After a jump of the clock, times that were stored before it can be far ahead. */
async function farAhead(db: Db, commandFor: CommandFor): Promise<Finding> {
  const { pace } = await readPolicy(db);
  const [probe, test] = [pace.probeSeconds.max, pace.testSeconds.max];
  const rows = await allRows<{ id: string }>(db)`
    select id from entries join entry_details on entry_id = id
    where not is_paused and (
      next_probe_at > now() + 2 * ${probe}::double precision * interval '1 second'
      or next_test_at > now() + 2 * ${test}::double precision * interval '1 second'
    )
    order by id limit 5`;
  if (rows.length === 0)
    return ok('due times', 'no probe and no test is further ahead than the policy allows');
  return warning(
    'due times',
    `the next probe or test of ${rows.map(({ id }) => id).join(', ')} is further ahead than the policy allows`,
    `Correct the clock. A running service finds such entries due; without one: ${commandFor(`test ${rows[0]?.id ?? ''}`)}`,
  );
}

const EXPIRES_SOON_DAYS = 14;

async function keys(db: Db, commandFor: CommandFor): Promise<readonly Finding[]> {
  const { valid, soon } = await oneRow<{ valid: number; soon: readonly string[] }>(db)`
    select count(*) as valid, coalesce(array_agg(id order by expires_at) filter (
      where expires_at < now() + ${EXPIRES_SOON_DAYS} * interval '1 day'
    ), '{}') as soon
    from keys where revoked_at is null and (expires_at is null or expires_at > now())`;
  if (valid === 0)
    return [warning('keys', 'no API key is valid', `Create one with: ${commandFor('key create me')}`)];
  if (soon.length === 0)
    return [ok('keys', `${valid} valid, none of which expires in ${EXPIRES_SOON_DAYS} days`)];
  return [
    warning(
      'keys',
      `${soon.slice(0, 10).join(', ')} ${soon.length === 1 ? 'expires' : 'expire'} in ${EXPIRES_SOON_DAYS} days`,
      `Create others in time: ${commandFor('key create me')}; see whose they are: ${commandFor('key list')}`,
    ),
  ];
}

async function gatedEntries(db: Db): Promise<Finding> {
  const rows = await allRows<{ id: string; gate: string }>(db)`
    select id, gate from entries join entry_details on entry_id = id
    where status = 'gated' and gate is not null order by id limit 5`;
  const [first] = rows;
  if (first === undefined) return ok('keys of servers', 'no server asks for a key');
  const { remedy } = JSON.parse(first.gate) as { readonly remedy?: string };
  return warning(
    'keys of servers',
    `servers ask for a key: ${rows.map(({ id }) => id).join(', ')}`,
    `${first.id}: ${remedy ?? 'give it its key.'}`,
  );
}
