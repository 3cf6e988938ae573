import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Between two polls: longer and longer, because what takes long needs the CPU itself. */
const FIRST_MS = 10;
const LONGER = 1.2;
const MAX_MS = 100;

/** Polls until the condition holds or the test ends, for conditions that send no event. */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(MAX_MS, LONGER * waitMs)) {
    const value = await read();
    if (holds(value)) return value;
    await delay(waitMs, undefined, { signal: over.signal });
  }
}

export async function until(holds: () => boolean): Promise<void> {
  await eventually(holds, (held) => held);
}
