/**
 * Calls a listener of the user. Its error is passed on, because an error in a message handler of a worker would end
 * the process.
 */
export function notifyListener<News>(
  listener: ((news: News) => unknown) | undefined,
  news: News,
  onFailure: (error: unknown) => void,
): void {
  new Promise((resolve) => resolve(listener?.(news))).catch(onFailure);
}
