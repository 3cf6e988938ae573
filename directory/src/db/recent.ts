/** Remembers the most recently used values: up to a number of them, or up to a sum of their weights. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #max: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;

  constructor(max: number, weigh: (value: Value) => number = () => 1) {
    this.#max = max;
    this.#weigh = weigh;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#weight += this.#weigh(value);
    for (const oldest of this.#values.keys()) {
      if (this.#weight <= this.#max) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#values.get(key);
    if (value !== undefined) this.#weight -= this.#weigh(value);
    this.#values.delete(key);
  }

  /** The least recently used first. */
  entries(): readonly (readonly [string, Value])[] {
    return [...this.#values];
  }
}
