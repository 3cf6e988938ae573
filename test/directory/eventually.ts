/** Waits until a condition holds, however long the machine takes. */
export async function eventually<Value>(
  look: () => Promise<Value>,
  holds: (value: Value) => boolean,
  withinMs = 45_000,
): Promise<Value> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > endMs) throw new Error(`it did not come about: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
