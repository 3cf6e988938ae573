import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Looks until the condition holds, for as long as its test goes on: for what tells nobody that it has come about. */
export async function eventually<Value>(
  look: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    await delay(20, undefined, { signal: over.signal });
  }
}

export async function until(holds: () => boolean): Promise<void> {
  await eventually(holds, (held) => held);
}
