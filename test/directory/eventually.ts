import { setTimeout as delay } from 'node:timers/promises';

/** Waits until a condition holds, for as long as the test may take: for what tells nobody that it has come about. */
export async function eventually<Value>(
  look: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    await delay(50);
  }
}
