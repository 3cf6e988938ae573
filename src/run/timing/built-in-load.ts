import type { LoadPlan } from '../../latency/load-plan.ts';
import { startBuiltInServer } from '../../probe/load/built-in-server.ts';

/**
 * Measures the client's own latency: a closed loop over one connection to a server in this process that answers at
 * once.
 */
export async function loadBuiltInServer<Result>(
  limits: Pick<LoadPlan, 'maxRequests' | 'durationMs' | 'warmUpMs' | 'requestTimeoutMs'>,
  offer: (plan: LoadPlan) => Promise<Result>,
): Promise<Result> {
  const server = await startBuiltInServer();
  try {
    return await offer({
      ...limits,
      requests: [{ method: 'GET', url: server.url, headers: [], body: null, weight: 1 }],
      model: { kind: 'closed', connections: 1 },
      seed: 1,
      stopOnStatuses: [],
      maxWaiting: null,
    });
  } finally {
    server.close();
  }
}
