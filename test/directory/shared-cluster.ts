import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type Cluster, startCluster } from './cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Port of loopback that tells the address of the run's PostgreSQL server, and starts it for the first who asks. */
    readonly clusterPort: number;
  }
}

/** For `globalSetup`: one cluster for all tests of a run, and none when no test asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let cluster: Promise<Cluster> | null = null;
  const server = createServer((connection) => {
    connection.on('error', () => undefined);
    cluster ??= startCluster({ fast: true });
    cluster.then(
      ({ url }) => connection.end(JSON.stringify({ url })),
      (error: Error) => connection.end(JSON.stringify({ problem: error.message })),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('clusterPort', (server.address() as AddressInfo).port);
  return async () => {
    server.close();
    const started = await cluster?.catch(() => null);
    await started?.stop();
  };
}
