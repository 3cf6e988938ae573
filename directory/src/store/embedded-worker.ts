import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { EmbeddedOrder, FromEmbedded } from './embedded.ts';
import { serveDatabase } from './serve-database.ts';

// A thread of its own: PGlite computes where it is called, and would hold up the answers of the service.
const { dataFolder, socket } = workerData as EmbeddedOrder;
const tell = (message: FromEmbedded): void => parentPort?.postMessage(message);

const db = await PGlite.create({ dataDir: dataFolder });
const server = await serveDatabase(db, socket);
parentPort?.once('message', async () => {
  await server.stop();
  await db.close();
  tell('stopped');
  parentPort?.close();
});
tell('started');
