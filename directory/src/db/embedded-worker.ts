import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { WorkerOptions } from './embedded.ts';
import { serveDatabase } from './serve-database.ts';
import { Written } from './written.ts';

// A separate thread, because PGlite runs in the thread of its caller and would block the service.
const { dataFolder, socket, memory } = workerData as WorkerOptions;

const db = await PGlite.create({ dataDir: dataFolder }).catch((error: unknown) => {
  throw error instanceof Error ? error : new Error(wordsOf(error));
});
const written = new Written(memory);
const server = await serveDatabase(db, socket, () => written.note());
parentPort?.once('message', async () => {
  await server.stop();
  await db.close();
  parentPort?.postMessage('stopped');
  parentPort?.close();
});
parentPort?.postMessage('started');

/** What fails in the file system of PGlite is no Error: an object with a number, or a status. */
function wordsOf(error: unknown): string {
  const { name, errno } = (error ?? {}) as { name?: string; errno?: number };
  return errno === undefined ? `it ended with ${String(name ?? error)}` : `error ${errno} of its file system`;
}
