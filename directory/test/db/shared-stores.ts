import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';
import { makeTemplate } from './database-template.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Loopback port that returns the address of the run's PostgreSQL server. */
    readonly clusterPort: number;
    /** Loopback port that returns the folder of an empty embedded database, for copying. */
    readonly templatePort: number;
  }
}

/** For `globalSetup`: one server and one template for all tests of a run, created when a test first requests them. */
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

/** Reads the value from a port of {@link setup}. */
export async function askShared(port: number): Promise<string> {
  const answer = JSON.parse(await text(connect(port, '127.0.0.1'))) as {
    readonly value?: string;
    readonly problem?: string;
  };
  if (answer.value === undefined) throw new Error(answer.problem);
  return answer.value;
}

interface Shared<Made> {
  readonly port: number;
  /** Resolves with the shared object, or null if it was never created. */
  close(): Promise<Made | null>;
}

/** Creates the shared object at the first connection, and sends its text to every connection. */
async function shareOnce<Made>(
  make: () => Promise<Made>,
  textOf: (made: Made) => string,
): Promise<Shared<Made>> {
  let made: Promise<Made> | null = null;
  const server = createServer((connection) => {
    connection.on('error', () => undefined);
    made ??= make();
    made.then(
      (value) => connection.end(JSON.stringify({ value: textOf(value) })),
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
