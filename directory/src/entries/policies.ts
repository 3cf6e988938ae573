import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { DEFAULT_POLICY, type Policy } from '../settings/policy.ts';

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
