// Other load generators, as separate processes. Each returns its count and its duration.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandPath, output } from './children.mjs';

const SPARE_MS = 20_000;
const BARE_CLIENT = fileURLToPath(import.meta.resolve('./bare-client.mjs'));
const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon'));

/** A script that reads the figures at the end, in microseconds: wrk itself prints them rounded to 10 µs. */
const WRK_DONE = `
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"count":%d,"durationUs":%d,"p50Us":%d,"meanUs":%f,"errors":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency.mean,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`;

export async function runAutocannon(url, { connections, durationMs, warmUpMs }) {
  const seconds = (timeMs) => String(timeMs / 1000);
  const warmUp = warmUpMs === 0 ? [] : ['-W', '[', '-c', String(connections), '-d', seconds(warmUpMs), ']'];
  const args = [AUTOCANNON, '-j', '-c', String(connections), '-d', seconds(durationMs), ...warmUp, url];
  const printed = await output(process.execPath, args, { timeoutMs: durationMs + warmUpMs + SPARE_MS });
  // The warm-up has a separate line before it.
  const { requests, duration, errors, non2xx } = JSON.parse(printed.trim().split('\n').at(-1));
  if (errors + non2xx > 0) throw new Error(`autocannon had ${errors} errors and ${non2xx} bad answers`);
  return { count: requests.total, perSecond: requests.total / duration };
}

/** Sockets of Node.js with nothing beside them. */
export async function runBareNode(url, { connections, durationMs, warmUpMs }) {
  const args = [BARE_CLIENT, url, String(connections), String(durationMs), String(warmUpMs)];
  const printed = await output(process.execPath, args, { timeoutMs: durationMs + warmUpMs + SPARE_MS });
  const { count, durationMs: tookMs } = JSON.parse(printed);
  return { count, perSecond: (count * 1000) / tookMs };
}

/** Null if wrk is not installed. */
export function findWrk() {
  const command = commandPath('wrk');
  if (command === null) return null;
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-wrk-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const script = path.join(folder, 'done.lua');
  writeFileSync(script, WRK_DONE);
  return async (url, { connections, durationMs }) => {
    const args = [
      '-t',
      '1',
      '-c',
      String(connections),
      '-d',
      `${Math.round(durationMs / 1000)}s`,
      '-s',
      script,
      url,
    ];
    const printed = await output(command, args, { timeoutMs: durationMs + SPARE_MS });
    const { count, durationUs, p50Us, meanUs, errors } = JSON.parse(printed.slice(printed.lastIndexOf('\n')));
    if (errors > 0) throw new Error(`wrk had ${errors} errors`);
    return { count, perSecond: (count * 1e6) / durationUs, p50Ms: p50Us / 1000, meanMs: meanUs / 1000 };
  };
}
