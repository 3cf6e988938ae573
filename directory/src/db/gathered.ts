import { setTimeout } from 'node:timers/promises';

/** Short beside a request to a target, and long enough that many of those that work at once come together. */
const GATHER_MS = 10;

/** Does a piece of work for all keys that are given within a few milliseconds, because each statement costs processor time. */
export function gathered<Result>(
  work: (keys: readonly string[]) => Promise<Result>,
): (key: string) => Promise<Result> {
  let keys: string[] = [];
  let next: Promise<Result> | null = null;
  const start = async (): Promise<Result> => {
    await setTimeout(GATHER_MS);
    const taken = keys;
    keys = [];
    next = null;
    return work(taken);
  };
  return (key) => {
    keys.push(key);
    next ??= start();
    return next;
  };
}
