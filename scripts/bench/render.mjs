// How long each format takes to render a result of many findings, as a ratio to JSON.stringify of the same result.
import { readFileSync } from 'node:fs';
import { FORMAT_NAMES, renderFormat } from '../../dist/index.js';
import { median, note } from './sheet.mjs';

const FINDINGS = 5000;
const REQUIREMENTS = 60;

export async function render(rounds = 9) {
  const result = manyFindings();
  const baselines = [];
  const times = Object.fromEntries(FORMAT_NAMES.map((name) => [name, []]));
  const sizes = {};
  for (let round = 0; round < rounds + 1; round += 1) {
    const baselineMs = await timed(() => JSON.stringify(result));
    for (const name of FORMAT_NAMES) {
      const tookMs = await timed(async () => {
        const files = await renderFormat(result, name);
        sizes[name] = files.reduce((sum, { text }) => sum + text.length, 0);
      });
      // The first round loads and compiles.
      if (round > 0) times[name].push([tookMs, tookMs / baselineMs]);
    }
    if (round > 0) baselines.push(baselineMs);
  }
  console.log(
    `render: ${FINDINGS} findings over ${REQUIREMENTS} requirements, medians of ${rounds} interleaved rounds, ratio of each to JSON.stringify of the same round`,
  );
  note('JSON.stringify', `${median(baselines).toFixed(0).padStart(5)} ms`);
  for (const name of FORMAT_NAMES) {
    const tookMs = median(times[name].map(([ms]) => ms));
    const ratio = median(times[name].map(([, over]) => over));
    const kilobytes = (sizes[name] / 1000).toFixed(0);
    note(
      name,
      `${tookMs.toFixed(0).padStart(5)} ms  ${ratio.toFixed(2).padStart(6)}  ${kilobytes.padStart(6)} kB`,
    );
  }
}

async function timed(work) {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function manyFindings() {
  const ids = Array.from({ length: REQUIREMENTS }, (_, index) => `area-${index % 12}/requirement-${index}`);
  const text = 'Each of many functions conforms to it.';
  const example = JSON.parse(readFileSync('reports/examples/broken.json', 'utf8'));
  return {
    ...example,
    results: ids.map((id) => ({ id, level: 'MUST', outcome: 'failed', spec: '4.2', text })),
    findings: Array.from({ length: FINDINGS }, (_, index) => findingOf(ids[index % REQUIREMENTS], index)),
    exchanges: [],
  };
}

function findingOf(id, index) {
  return {
    id,
    level: 'MUST',
    severity: 'error',
    outcome: 'failed',
    message: `the parameter ${index} has no description`,
    expected: 'a text that says what it is',
    received: '{"name":"a","type":"number"} (object)',
    where: {
      suite: 'suites/server/capabilities.suite.yaml',
      line: 10,
      column: 15,
      step: 'capabilities/read',
      function: `function-${index}`,
      pointer: `/functions/${index}/parameters/0`,
    },
    request: { method: 'GET', url: 'http://127.0.0.1:3000/capabilities' },
    curl: "curl -sS -i -H 'accept: application/json' http://127.0.0.1:3000/capabilities",
    check: `probity check http://127.0.0.1:3000 --only ${id} --seed 7`,
    why: 'Callers choose by the description.',
    fix: 'Describe every parameter.',
    spec: '4.2',
    fault: 'server',
    fingerprint: (index % 100).toString(16).padStart(16, '0'),
  };
}
