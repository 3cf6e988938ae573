// Counts what each command loads, in files and bytes: most of the cost of its start, and the same on every machine.
// `npm run loads` compares the built command with scripts/loads.json, and fails if one loads more than 5 % more;
// `npm run loads -- --write` accepts what they load now.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { growthOf } from './loads-growth.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const TABLE = path.join(import.meta.dirname, 'loads.json');
const AT_ONCE = 2;
const REPORT = path.join(ROOT, 'reports/examples/reference-a.json');
const LATER_REPORT = path.join(ROOT, 'reports/examples/broken.json');
const SUITE = `suite: v1
id: mine
title: Mine
steps:
  - id: one
    request: { get: /health }
    expect:
      status: { is: 200, id: answers, level: MUST }
`;
const BRIEF = ['--only', 'health/*', '--no-latency', '--reports', 'reports'];

/** For each command an invocation that ends soon. A second one has more words in its name. */
const INVOCATIONS = {
  '--help': () => ['--help'],
  'check --help': () => ['check', '--help'],
  check: (url) => ['check', url, ...BRIEF],
  'check --registry': () => ['check', '--registry', 'http://127.0.0.1:1', 'com.example/weather'],
  watch: (url) => ['watch', url, ...BRIEF],
  init: (url) => ['init', url],
  fuzz: (url) => ['fuzz', url, '--calls', '20', '--no-store'],
  bench: (url) => ['bench', url, '--rate', '20', '--duration', '1', '--no-store'],
  plan: (url) => ['plan', url],
  explain: () => ['explain', 'health/status-string'],
  lint: () => ['lint'],
  'lint FILE': () => ['lint', 'mine.suite.yaml'],
  show: () => ['show', REPORT],
  judge: () => ['judge', REPORT],
  render: () => ['render', REPORT, '--format', 'html', '--output', 'report.html'],
  baseline: () => ['baseline', LATER_REPORT, '--reason', 'known', '--output', '-'],
  contract: (url) => ['contract', url],
  portable: (url) => ['portable', url],
  diff: () => ['diff', REPORT, LATER_REPORT],
  trend: () => ['trend', path.dirname(REPORT)],
  merge: () => ['merge', REPORT, LATER_REPORT, '--format', 'html', '--output', 'merged.html'],
  bridge: () => ['bridge', '--port', '0', process.execPath, '-e', '0'],
  login: (url) => ['login', url],
  send: (url) => ['send', url, '{"method":"ping"}'],
  search: () => ['search', 'word', '--directory', 'http://127.0.0.1:1', '--directory-key-env', 'KEY'],
  completion: () => ['completion', 'bash'],
  'directory follow': () => ['directory', 'follow', 'http://127.0.0.1:1', '--allow-private'],
};

/** Exit codes of a usage error, which loads nothing, and of a fault of the harness. */
const BROKEN = [2, 70];

const now = await measured();
if (process.argv.includes('--write')) {
  writeFileSync(TABLE, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`written: ${path.relative(ROOT, TABLE)}`);
} else {
  const grown = growthOf(JSON.parse(readFileSync(TABLE, 'utf8')), now);
  if (grown.length > 0) {
    console.error(
      `${grown.join('\n')}\nMore than 5 % slows down every start. Import what is seldom needed where it is used, with import(). If the growth is intended, accept it with \`npm run loads -- --write\`.`,
    );
    process.exitCode = 1;
  }
}

async function measured() {
  const server = start(['reference', '--port', '0']);
  const loads = { reference: null };
  try {
    const [line] = await Promise.race([
      once(createInterface({ input: server.child.stdout }), 'line'),
      server.ended.then(() => ['']),
    ]);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url === undefined) throw new Error('the reference server did not start');
    const left = Object.entries(INVOCATIONS);
    const work = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [name, argsFor] = next;
        const invocation = start(argsFor(url));
        invocation.child.stdout.resume();
        const [code] = await invocation.ended;
        if (BROKEN.includes(code))
          throw new Error(`probity ${argsFor(url).join(' ')} ended with code ${code}`);
        loads[name] = invocation.loaded();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
  loads.reference = server.loaded();
  return Object.fromEntries(['reference', ...Object.keys(INVOCATIONS)].map((name) => [name, loads[name]]));
}

/** Starts the built command in an empty folder. */
function start(args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-loads-'));
  writeFileSync(path.join(folder, 'mine.suite.yaml'), SUITE);
  const coverage = path.join(folder, 'coverage');
  const reads = path.join(folder, 'reads');
  const child = spawn(process.execPath, [path.join(ROOT, 'dist/probity.js'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      KEY: 'any',
      // Names the scripts of all threads of the process.
      NODE_V8_COVERAGE: coverage,
      NODE_OPTIONS: `--require=${JSON.stringify(path.join(import.meta.dirname, 'log-reads.cjs'))}`,
      READS_LOG: reads,
    },
  });
  return {
    child,
    ended: once(child, 'close'),
    loaded: () => {
      const sizes = sizesOf([...scriptsIn(coverage), ...(existsSync(reads) ? linesOf(reads) : [])]);
      rmSync(folder, { recursive: true });
      return sizes;
    },
  };
}

function scriptsIn(coverage) {
  return readdirSync(coverage)
    .flatMap((name) => JSON.parse(readFileSync(path.join(coverage, name), 'utf8')).result)
    .flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []));
}

/** The bytes of the files of the product, by a name that does not depend on their content. */
function sizesOf(files) {
  const own = new Set(files.filter((file) => /^(dist|suites)\//.test(nameOf(file))));
  const sized = [...own]
    .map((file) => [nameOf(file).replace(/-[\w-]{8}(?=\.js$)/, ''), statSync(file).size])
    .toSorted(([left, leftBytes], [right, rightBytes]) =>
      left === right ? rightBytes - leftBytes : left < right ? -1 : 1,
    );
  // Chunks may have the same name without the hash.
  return Object.fromEntries(
    sized.map(([name, bytes], index) => [sized[index - 1]?.[0] === name ? `${name} (another)` : name, bytes]),
  );
}

function nameOf(file) {
  return path.relative(ROOT, file).replaceAll(path.sep, '/');
}

function linesOf(file) {
  return readFileSync(file, 'utf8').trim().split('\n');
}
