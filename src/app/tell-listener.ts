/**
 * Tells a listener of the user's. What it throws, or rejects with, is handed on: thrown where messages of a worker
 * arrive, it would end the process.
 */
export function tellListener<News>(
  listener: ((news: News) => unknown) | undefined,
  news: News,
  onFailure: (error: unknown) => void,
): void {
  new Promise((resolve) => resolve(listener?.(news))).catch(onFailure);
}
