// Loads in a process of their own that also reports when each request left. It reports to its parent and ends with it.
import { once } from 'node:events';
import { prepareLoads } from './load.mjs';

const { urls, build } = JSON.parse(process.argv[2]);
const loads = await prepareLoads(urls, { build });
const channel = new BroadcastChannel('log-writes');

process.on('message', async ({ url, order }) => {
  channel.postMessage('reset');
  const figures = await loads.run(url, order);
  // Only the thread of the load has written since.
  const answered = once(channel, 'message');
  channel.postMessage('log');
  const [{ data: writes }] = await answered;
  process.send({ figures, writes });
});
process.on('disconnect', () => process.exit());
process.send('ready');
