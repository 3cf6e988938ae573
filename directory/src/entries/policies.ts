import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { DEFAULT_POLICY, type Policy } from '../settings/policy.ts';
import { inTransaction } from './entries.ts';
import { noteAction } from './operator-log.ts';

/** The policy of the operator, which all processes of the directory share. */
export async function readPolicy(db: Db): Promise<Policy> {
  const row = await firstRow<{ body: string }>(db)`select body from policies`;
  return row === null ? DEFAULT_POLICY : (JSON.parse(row.body) as Policy);
}

export async function storePolicy(db: Db, policy: Policy): Promise<void> {
  await run(db)`
    insert into policies (body) values (${JSON.stringify(policy)})
    on conflict (only_one) do update set body = excluded.body`;
}

/** Stores a policy for an operator, and notes it in the log; an equal one changes nothing. */
export async function changePolicy(db: Db, policy: Policy, operator: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const details = JSON.stringify(policy);
    if (details === JSON.stringify(await readPolicy(transaction))) return;
    await storePolicy(transaction, policy);
    await noteAction(transaction, { operator, action: 'policy', details });
  });
}
