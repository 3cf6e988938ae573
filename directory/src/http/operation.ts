import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { RateLimit } from '../settings/service-settings.ts';
import { countCall } from '../store/keys.ts';
import type { Db } from '../store/open-store.ts';
import { Problem } from './problem.ts';

/** Routes for the operator: liveness and readiness. */
export function operationRoutes(app: FastifyInstance, db: Db): void {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  const options = { schema: { hide: true }, logLevel: 'silent' } as const;
  app.get('/livez', options, async (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', options, async (_request, reply) => {
    if (isStopping) throw new Problem('unavailable', 'The service is stopping.');
    if (!(await isWritable(db))) throw new Problem('unavailable', 'The database does not answer.');
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
  const late = setTimeout(DATABASE_TIMEOUT_MS, false, { signal: ending.signal }).catch(() => false);
  return Promise.race([written, late]).finally(() => ending.abort());
}
