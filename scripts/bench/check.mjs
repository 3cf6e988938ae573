// The time of whole checks, from the start of the process to its end, as ratios to the one wait that the rules need: two
// reads of /health a little over a second apart.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endProcess, startProcess } from './children.mjs';
import { judged, median } from './sheet.mjs';

const COMMAND = path.resolve('dist/probity.js');
const WAIT_MS = 1050;
const SERVERS = {
  'a server that answers in 1 ms': ['scripts/bench/steady-server.mjs', '0', 'wait', '1'],
  'the reference server': ['dist/probity.js', 'reference', '--port', '0'],
};
const WAYS = {
  'with timing': { args: [], maxMs: 2500 },
  'without timing': { args: ['--no-latency'], maxMs: 1400 },
};

export async function check(rounds = 9) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  console.log(
    `whole checks: medians of ${rounds} interleaved rounds, and their ratio to the wait of ${WAIT_MS} ms`,
  );
  for (const [name, args] of Object.entries(SERVERS)) {
    const server = startProcess(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = await portOf(server);
    const times = Object.fromEntries(Object.keys(WAYS).map((way) => [way, []]));
    for (let round = 0; round < rounds + 1; round += 1)
      for (const [way, { args: more }] of Object.entries(WAYS)) {
        const startedMs = performance.now();
        const child = startProcess(
          process.execPath,
          [COMMAND, 'check', `http://127.0.0.1:${port}`, '--reports', folder, ...more],
          { stdio: 'ignore' },
        );
        await once(child, 'exit');
        // The first round warms the file cache.
        if (round > 0) times[way].push(performance.now() - startedMs);
      }
    await endProcess(server);
    for (const [way, { maxMs }] of Object.entries(WAYS)) {
      const tookMs = median(times[way]);
      const text = `${tookMs.toFixed(0).padStart(5)} ms  ${(tookMs / WAIT_MS).toFixed(2)}`;
      judged(`${name}, ${way}`, text, tookMs <= maxMs, `${(maxMs / WAIT_MS).toFixed(2)} (${maxMs} ms)`);
    }
  }
}

/** The last number that the server prints first: its port. */
async function portOf({ stdout }) {
  let text = '';
  for await (const chunk of stdout.setEncoding('utf8')) {
    text += chunk;
    const port = /(\d+)\/?\s*$/m.exec(text)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`the server printed no port: ${text}`);
}
