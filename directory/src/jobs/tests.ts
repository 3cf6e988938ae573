import { firstRow, oneRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { CALLER_PRIORITY, type JobData } from './queues.ts';

/** A test as its job and its stored result show it. */
export type TestState =
  /** `isHostBusy`: the host, or an address of it, had no lease for it when a worker took it. */
  | { readonly kind: 'waiting'; readonly isHostBusy: boolean }
  | { readonly kind: 'running' }
  /** The result is stored; its body is gzipped. */
  | { readonly kind: 'stored'; readonly body: Buffer; readonly input: InputOfTest }
  /** The result could not be stored, because the entry or its listing had changed; its body is gzipped. */
  | { readonly kind: 'unstored'; readonly body: Buffer; readonly input: InputOfTest }
  /** Nothing was sent: the server, or others of its host, asked not to be called until then. */
  | { readonly kind: 'closed'; readonly until: Date }
  /** All attempts failed. */
  | { readonly kind: 'failed' }
  /** Neither the job nor a result exists. */
  | { readonly kind: 'gone' };

/** The key of the caller whose input a test used, and the functions that it was used for. */
export interface InputOfTest {
  readonly keyId: string | null;
  readonly functions: readonly string[];
}

/** Reads the job of a test and its result in one statement: the one is deleted when the other is stored. */
export async function testState(db: Db, jobId: string): Promise<TestState> {
  const row = await firstRow<{
    state: string | null;
    output: UnstoredResult | WaitingForHost | null;
    body: Buffer | null;
    input_key_id: string | null;
    input_functions: string[] | null;
  }>(db)`
    select job.state, job.output, results.body, results.input_key_id, results.input_functions
    from (select ${jobId}::uuid as id) as requested
    left join pgboss.job on job.name = 'test' and job.id = requested.id
    left join results on results.id = requested.id::text`;
  const { state = null, output = null, body = null, input_key_id = null, input_functions } = row ?? {};
  if (body !== null)
    return { kind: 'stored', body, input: { keyId: input_key_id, functions: input_functions ?? [] } };
  switch (state) {
    case null:
      return { kind: 'gone' };
    case 'active':
      return { kind: 'running' };
    case 'created':
    case 'retry':
      return { kind: 'waiting', isHostBusy: output !== null && 'hostBusy' in output };
    case 'completed':
      return endedWith(output);
    default:
      return { kind: 'failed' };
  }
}

function endedWith(output: UnstoredResult | WaitingForHost | null): TestState {
  if (output === null || 'hostBusy' in output) return { kind: 'failed' };
  if ('closedUntil' in output) return { kind: 'closed', until: new Date(output.closedUntil) };
  return { kind: 'unstored', body: Buffer.from(output.result, 'base64'), input: output.input };
}

/** The output of a test job that a worker took, and for which it had no lease. */
export type WaitingForHost =
  | { readonly hostBusy: true }
  /** Its job has ended. */
  | { readonly closedUntil: string };

/** The output of a test job whose result is not stored. */
export interface UnstoredResult {
  /** The gzipped result in base64. */
  readonly result: string;
  readonly input: InputOfTest;
}

/** The key of the test of an entry that nobody requested. It differs from that of requested ones, which must not keep it away. */
export function plannedKey(entryId: string): string {
  return `planned:${entryId}`;
}

/**
 * Makes a test that waits or runs one that a caller waits for, and returns the id of its job; null when there is none. A
 * planned test keeps its own samples, because it decides: with `hasInput`, the caller waits for one only if it runs.
 */
export async function joinTest(
  db: Db,
  entryId: string,
  { traceparent, hasInput }: Pick<JobData['test'], 'traceparent'> & { readonly hasInput: boolean },
): Promise<string | null> {
  const row = await firstRow<{ id: string }>(db)`
    update pgboss.job set
      priority = greatest(priority, ${CALLER_PRIORITY}::integer),
      start_after = least(start_after, now()),
      data = case
        when state < 'active' and priority = 0 then data || jsonb_build_object('traceparent', ${traceparent}::text)
        else data
      end
    where name = 'test' and state < 'completed' and id = (
      select id from pgboss.job
      where name = 'test' and state < 'completed' and singleton_key in (${entryId}, ${plannedKey(entryId)})
        and (state = 'active' or singleton_key = ${entryId} or not ${hasInput}::boolean)
      order by state = 'active' desc, singleton_key = ${entryId} desc limit 1
    )
    returning id`;
  return row?.id ?? null;
}

/** How many tests run, and how many wait that a caller waits for. */
export function countTests(db: Db) {
  return oneRow<{ readonly running: number; readonly waiting: number }>(db)`
    select
      count(*) filter (where state = 'active')::integer as running,
      count(*) filter (where state < 'active' and priority > 0)::integer as waiting
    from pgboss.job where name = 'test' and state < 'completed'`;
}

/** The start of the running test of an entry; null when no test is running. */
export async function testStartedAt(db: Db, entryId: string): Promise<Date | null> {
  const row = await firstRow<{ started_on: Date }>(db)`
    select started_on from pgboss.job
    where name = 'test' and singleton_key in (${entryId}, ${plannedKey(entryId)}) and state = 'active'
    order by started_on limit 1`;
  return row?.started_on ?? null;
}
