import { setTimeout as delay } from 'node:timers/promises';

/** Between two polls: longer and longer, because what takes long needs the CPU itself. */
const FIRST_MS = 10;
const LONGER = 1.2;
const MAX_MS = 100;

/**
 * Polls until the condition holds, for conditions that send no event. A test that is over after its time limit goes on
 * polling; of tests that run at the same time, Vitest does not know which one is waiting here.
 */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(MAX_MS, LONGER * waitMs)) {
    const value = await read();
    if (holds(value)) return value;
    await delay(waitMs, undefined, { ref: false });
  }
}

export async function until(holds: () => boolean): Promise<void> {
  await eventually(holds, (held) => held);
}
