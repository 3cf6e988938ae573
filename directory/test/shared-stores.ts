import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';
import { makeTemplate } from './database-template.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Port of loopback that tells the address of the run's PostgreSQL server. */
    readonly clusterPort: number;
    /** Port of loopback that tells the folder of an empty embedded database, to be copied. */
    readonly templatePort: number;
  }
}

/** For `globalSetup`: one of each for all tests of a run, and none when no test asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await shareOnce(
    () => startCluster({ fast: true }),
    ({ url }) => url,
  );
  const template = await shareOnce(makeTemplate, (folder) => folder);
  project.provide('clusterPort', cluster.port);
  project.provide('templatePort', template.port);
  return async () => {
    await template.close();
    await (await cluster.close())?.stop();
  };
}

/** What a port of {@link setup} tells. */
export async function askShared(port: number): Promise<string> {
  const answer = JSON.parse(await text(connect(port, '127.0.0.1'))) as {
    readonly told?: string;
    readonly problem?: string;
  };
  if (answer.told === undefined) throw new Error(answer.problem);
  return answer.told;
}

interface Shared<Made> {
  readonly port: number;
  /** Gives what was made, if anything was. */
  close(): Promise<Made | null>;
}

/** Makes it for the first who asks at the port, and tells all who ask. */
async function shareOnce<Made>(
  make: () => Promise<Made>,
  tell: (made: Made) => string,
): Promise<Shared<Made>> {
  let made: Promise<Made> | null = null;
  const server = createServer((connection) => {
    connection.on('error', () => undefined);
    made ??= make();
    made.then(
      (value) => connection.end(JSON.stringify({ told: tell(value) })),
      (error: Error) => connection.end(JSON.stringify({ problem: error.message })),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      return (await made?.catch(() => null)) ?? null;
    },
  };
}
