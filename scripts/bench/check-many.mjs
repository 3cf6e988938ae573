// Checks servers at once in a process, and sends what they took: started with the folder of a build, it receives
// `{ urls, jobs, isTimed }` and answers with the time of all and the measurements of each.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const { checkServers } = await import(pathToFileURL(path.resolve(process.argv[2], 'dist/index.js')).href);

process.on('message', async ({ urls, jobs, isTimed }) => {
  const startedMs = performance.now();
  const { user, system } = process.cpuUsage();
  const checked = [];
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1e6);
  }, 100);
  for await (const { result } of checkServers(
    urls.map((url) => ({ url, options: { seed: 1, latency: { off: !isTimed } } })),
    { jobs },
  )) {
    const { verdict, responseTimes, durationMs } = result;
    const measured = responseTimes.filter((one) => 'unreliable' in one);
    const timed = measured.map(({ operation, function: name = null, p50Ms, unreliable }) => ({
      operation: name ?? operation,
      p50Ms,
      isReliable: unreliable.length === 0,
      unreliable,
    }));
    checked.push({ verdict, durationMs, timed });
  }
  clearInterval(watch);
  const cpu = process.cpuUsage();
  process.send({
    tookMs: performance.now() - startedMs,
    cpuMs: (cpu.user + cpu.system - user - system) / 1000,
    peakMb,
    checked,
  });
});
