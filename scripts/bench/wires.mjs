// Checks of the same server on each wire, as ratios to form B, and the latency of calls over standard streams beside a
// plain loop of the official client, all in the same run.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endProcess, output, startProcess } from './children.mjs';
import { judged, median, ms, note, spread } from './sheet.mjs';

const COMMAND = 'dist/probity.js';
const REFERENCE = [COMMAND, 'reference', '--port', '0'];
const WAYS = { 'without timing': ['--no-latency'], 'with timing': [] };
const MAX_RATIO = 1.3;
const SUBJECT = fileURLToPath(import.meta.resolve('./echo-subject.mjs'));
const DIRECT_CALLS = fileURLToPath(import.meta.resolve('./direct-calls.mjs'));
const INPUT = { message: 'probity' };
const TIMES = { durationMs: 2000, warmUpMs: 1000 };
const SPARE_MS = 60_000;
const MAX_APART_MS = 0.1;

export async function wires(rounds = 7) {
  console.log(`wires: the reference server on each, medians and ratios of ${rounds} interleaved rounds`);
  const servers = [await started('--form', 'B'), await started('--wire', 'mcp')];
  const [formB, overHttp] = servers.map(({ address }) => address);
  const targets = {
    'form B': [formB],
    'MCP over HTTP': ['--mcp', overHttp],
    'MCP over standard streams': ['--mcp', `node ${COMMAND} reference --wire mcp`],
  };
  for (const [way, more] of Object.entries(WAYS)) {
    const took = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const [name, target] of Object.entries(targets))
        took[name].push(await checkMs([...target, ...more]));
    const [base, ...others] = Object.entries(took);
    note(`${base[0]}, ${way}`, `${median(base[1]).toFixed(0)} ms`);
    for (const [name, times] of others) {
      const ratios = times.map((time, round) => time / base[1][round]);
      judged(
        `${name}, ${way}`,
        `${median(times).toFixed(0)} ms  ${spread(ratios)}`,
        median(ratios) <= MAX_RATIO,
        String(MAX_RATIO),
      );
    }
  }
  for (const { child } of servers) await endProcess(child);
  await latency(rounds);
}

async function latency(rounds) {
  const rows = [];
  for (let round = 0; round < rounds; round += 1) {
    const row = {};
    for (const name of round % 2 === 0 ? ['official', 'ours'] : ['ours', 'official'])
      row[name] = await (name === 'official' ? officialP50Ms() : ownP50Ms());
    rows.push(row);
  }
  const p50Of = (name) => median(rows.map((row) => row[name]));
  const apartMs = median(rows.map(({ ours, official }) => Math.abs(ours - official)));
  judged(
    'p50 over standard streams',
    `${ms(p50Of('ours'))}, a loop of the official client ${ms(p50Of('official'))}, apart ${ms(apartMs)}`,
    apartMs <= MAX_APART_MS,
    ms(MAX_APART_MS),
  );
}

async function started(...more) {
  const child = startProcess(process.execPath, [...REFERENCE, ...more], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, address: /http:\S+/.exec(line)[0] };
}

async function checkMs(args) {
  const startedMs = performance.now();
  const child = startProcess(process.execPath, [COMMAND, 'check', '--no-store', ...args], {
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`check ${args.join(' ')} ended with ${code}`);
  return performance.now() - startedMs;
}

async function officialP50Ms() {
  const wanted = { args: [SUBJECT], call: { name: 'echo', arguments: INPUT }, inFlight: 1, ...TIMES };
  const said = await output(process.execPath, [DIRECT_CALLS, JSON.stringify(wanted)], {
    timeoutMs: SPARE_MS,
  });
  return JSON.parse(said).p50Ms;
}

async function ownP50Ms() {
  const args = ['bench', `node ${SUBJECT}`, '--operation', 'execute:echo', '--connections', '1', '--json'];
  const times = ['--duration', `${TIMES.durationMs / 1000}s`, '--warm-up', `${TIMES.warmUpMs / 1000}s`];
  const said = await output(process.execPath, [COMMAND, ...args, ...times, '--no-store'], {
    timeoutMs: SPARE_MS,
    // The figures of a busy machine are called unreliable.
    mayEndWith: 4,
  });
  return JSON.parse(said).responseTimes.find((one) => one.operation === 'execute').p50Ms;
}
