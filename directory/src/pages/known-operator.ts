import { shareRuns } from '../db/share-runs.ts';
import type { Db } from '../db/tables.ts';
import { readPolicy } from '../entries/policies.ts';
import { DEFAULT_POLICY, type Policy } from '../settings/policy.ts';

export type Operator = Policy['operator'];

const MAX_AGE_MS = 1000;

/** Who runs the directory, for the foot of each page. It is read again after a second, and kept while the store is away. */
export class KnownOperator {
  readonly #db: Db;
  #readAtMs = 0;
  #known: Operator = DEFAULT_POLICY.operator;

  constructor(db: Db) {
    this.#db = db;
  }

  /** What was read last. */
  get known(): Operator {
    return this.#known;
  }

  async look(): Promise<void> {
    // Either way, because the clock may be set back.
    if (Math.abs(Date.now() - this.#readAtMs) >= MAX_AGE_MS) await this.#read().catch(() => undefined);
  }

  readonly #read = shareRuns(async (): Promise<void> => {
    this.#readAtMs = Date.now();
    this.#known = (await readPolicy(this.#db)).operator;
  });
}
