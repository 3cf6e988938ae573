import { visible } from 'probity/model';
import { allRows, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** A person, or what acts for one: the policy of the operator, a followed registry, or the directory itself. */
export const AUTHOR_KINDS = ['operator', 'policy', 'registry', 'directory'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];

/** What an operator, or the policy of one, did. */
export interface OperatorAction {
  /** Grows with every action. */
  readonly number: number;
  readonly at: Date;
  /** Decisions depend on this and not on the name, which keys and users choose. */
  readonly authorKind: AuthorKind;
  /** The name of who did it. */
  readonly operator: string;
  /** In a word, such as `hold` or `add`. */
  readonly action: string;
  /** Null: it is about no entry. */
  readonly entryId: string | null;
  /** For operators. */
  readonly reason: string | null;
  /** For everybody. */
  readonly publicReason: string | null;
  /** Until when it holds by itself; null: until another action. */
  readonly until: Date | null;
  /** Further facts, as JSON. */
  readonly details: string | null;
}

type NewAction = Pick<OperatorAction, 'operator' | 'action'> & Partial<Omit<OperatorAction, 'number' | 'at'>>;

/** Writes a line of the log, in the transaction that does what it says. */
export async function noteAction(
  db: Db,
  {
    authorKind = 'operator',
    operator,
    action,
    entryId = null,
    reason = null,
    publicReason = null,
    until = null,
    details = null,
  }: NewAction,
): Promise<void> {
  await run(db)`
    insert into operator_log (author_kind, operator, action, entry_id, reason, public_reason, until, details)
    values (${authorKind}, ${operator}, ${action}, ${entryId}, ${reason}, ${publicReason}, ${until}, ${details})`;
}

/** Writes the same line for each of these entries. */
export async function noteActionOnEach(
  db: Db,
  ids: readonly string[],
  { operator, action }: Pick<NewAction, 'operator' | 'action'>,
): Promise<void> {
  await run(db)`
    insert into operator_log (author_kind, operator, action, entry_id)
    select 'operator', ${operator}, ${action}, given.id from unnest(${[...ids]}::text[]) with ordinality as given (id, place)
    order by place`;
}

export interface LogFilter {
  readonly max: number;
  /** Only what is about this entry. */
  readonly entryId?: string | null;
  /** Only what is older than the action of this number. */
  readonly before?: number | null;
}

/** The newest first. */
export function readLog(
  db: Db,
  { max, entryId = null, before = null }: LogFilter,
): Promise<readonly OperatorAction[]> {
  return allRows<OperatorAction>(db)`
    select id as number, at, author_kind as "authorKind", operator, action, entry_id as "entryId", reason, public_reason as "publicReason", until, details
    from operator_log
    where (${entryId}::text is null or entry_id = ${entryId}) and (${before}::bigint is null or id < ${before})
    order by id desc limit ${max}`;
}

/** Who did it: an operator by name, and what is no person as what it is. Pure. */
export function authorWords({
  authorKind,
  operator,
}: Pick<OperatorAction, 'authorKind' | 'operator'>): string {
  return authorKind === 'operator' ? visible(operator) : `the ${authorKind}`;
}
