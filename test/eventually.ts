import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Polls until the condition holds or the test ends, for conditions that send no event. */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    await delay(20, undefined, { signal: over.signal });
  }
}

export async function until(holds: () => boolean): Promise<void> {
  await eventually(holds, (held) => held);
}
