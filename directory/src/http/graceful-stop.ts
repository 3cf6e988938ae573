import type { FastifyInstance } from 'fastify';

/** The time that answers have to reach their callers after the work behind them was interrupted. */
const LAST_ANSWERS_MS = 1000;

/**
 * Ends all connections when the service stops. Without this, a kept-alive connection whose answer began before the stop
 * stays open until its client or the keep-alive timeout ends it, and the data folder stays locked until then.
 *
 * @param withinMs the time after which `interrupt` ends the work that is still under way
 */
export function closeGracefully(app: FastifyInstance, withinMs: number, interrupt: () => void): void {
  let isStopping = false;
  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', async () => {
    isStopping = true;
    timers.push(
      setTimeout(
        () => {
          interrupt();
          timers.push(setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS));
        },
        Math.max(0, withinMs - LAST_ANSWERS_MS),
      ),
    );
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (isStopping) reply.header('connection', 'close');
    return payload;
  });
  // The head of an answer may have been sent before the stop, as `keep-alive`.
  app.addHook('onResponse', async () => {
    if (isStopping) setImmediate(() => app.server.closeIdleConnections());
  });
  app.addHook('onClose', async () => {
    for (const timer of timers) clearTimeout(timer);
  });
}
