import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { countCall } from '../accounts/keys.ts';
import { STORE_RETRY_SECONDS } from '../db/store-away.ts';
import type { Db } from '../db/tables.ts';
import type { RateLimit } from '../settings/settings.ts';
import { retryProblem } from './problem.ts';

/** Routes for the operator: liveness and readiness. */
export function operationRoutes(app: FastifyInstance, db: Db): void {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  const options = { schema: { hide: true }, logLevel: 'silent' } as const;
  app.get('/livez', options, async (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', options, async (_request, reply) => {
    if (isStopping) throw retryProblem('unavailable', 'The service is stopping.', STORE_RETRY_SECONDS);
    if (!(await isWritable(db)))
      throw retryProblem('unavailable', 'The database does not answer.', STORE_RETRY_SECONDS);
    return reply.header('cache-control', 'no-store').type('text/plain').send('ok\n');
  });
}

const PROBES: RateLimit = { name: 'probes', calls: Number.POSITIVE_INFINITY, windowSeconds: 60 };
const DATABASE_TIMEOUT_MS = 2000;

async function isWritable(db: Db): Promise<boolean> {
  const ending = new AbortController();
  // The check writes, because a read-only database cannot serve: every request counts against a limit.
  const written = countCall(db, 'readyz', PROBES).then(
    () => true,
    () => false,
  );
  const late = wait(DATABASE_TIMEOUT_MS, false, { signal: ending.signal }).catch(() => false);
  return Promise.race([written, late]).finally(() => ending.abort());
}

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
  let timer: NodeJS.Timeout | undefined;
  const interruptWork = (): void => {
    interrupt();
    timer = setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS);
  };
  app.addHook('preClose', async () => {
    isStopping = true;
    timer = setTimeout(interruptWork, Math.max(0, withinMs - LAST_ANSWERS_MS));
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done();
  });
  // The head of an answer may have been sent before the stop, as `keep-alive`.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (isStopping) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
  app.addHook('onClose', async () => {
    clearTimeout(timer);
  });
}
