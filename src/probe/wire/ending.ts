/** Ends a request early. Every AbortSignal is one. */
export interface EndSignal extends Pick<AbortSignal, 'aborted' | 'reason'> {
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** For one request, instead of an AbortController, which takes eight times as long (measured: 5.5 and 0.7 µs). */
export class Ending implements EndSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
