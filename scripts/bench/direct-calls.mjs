// Calls a server of the Model Context Protocol with its official client, in a separate process: prints the figures as
// JSON.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { percentile } from './sheet.mjs';

const { args, call, inFlight, durationMs, warmUpMs } = JSON.parse(process.argv[2]);
const client = new Client({ name: 'bench', version: '0.0.0' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: process.execPath, args }));
// As a user of the client would: it then knows the tools.
await client.listTools();

await callFor(warmUpMs);
const startedMs = performance.now();
const tookMs = await callFor(durationMs);
const seconds = (performance.now() - startedMs) / 1000;
await client.close();
console.log(
  JSON.stringify({
    throughputPerSecond: tookMs.length / seconds,
    p50Ms: percentile(tookMs, 50),
    p99Ms: percentile(tookMs, 99),
  }),
);

/** Keeps so many calls in flight; returns how long each took. */
async function callFor(forMs) {
  const took = [];
  const endsAtMs = performance.now() + forMs;
  const caller = async () => {
    for (let nowMs = performance.now(); nowMs < endsAtMs; ) {
      await client.callTool(call);
      const answeredMs = performance.now();
      took.push(answeredMs - nowMs);
      nowMs = answeredMs;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return took;
}
