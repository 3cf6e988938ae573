import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { WorkerOptions } from './embedded.ts';
import { serveDatabase } from './serve-database.ts';

// A separate thread, because PGlite runs in the thread of its caller and would block the service.
const { dataFolder, socket } = workerData as WorkerOptions;

const db = await PGlite.create({ dataDir: dataFolder });
const server = await serveDatabase(db, socket);
parentPort?.once('message', async () => {
  await server.stop();
  await db.close();
  parentPort?.postMessage('stopped');
  parentPort?.close();
});
parentPort?.postMessage('started');
