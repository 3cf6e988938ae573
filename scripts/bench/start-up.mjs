// The start of the command, as ratios to the start of Node.js itself.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProcess } from './children.mjs';
import { median } from './sheet.mjs';

const ROUNDS = 11;
/** Node.js loads an ECMAScript module more slowly than a script. */
const EMPTY = 'an empty module';

export const startUp = {
  title: 'The start of the command, as a multiple of `node -e 0`',
  goals: {
    help: { figure: 'probity --help', most: 1.2, unit: '×', peer: EMPTY },
    lint: { figure: 'probity lint, of a suite', most: 1.5, unit: '×', peer: EMPTY },
  },
  measure: async ({ file }) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
    // A suite of the product is known from the build, and not parsed.
    const suite = path.join(folder, 'mine.suite.yaml');
    const known = readFileSync('suites/server/execute.suite.yaml', 'utf8');
    writeFileSync(suite, known.replace(/^id: .*$/m, 'id: mine'));
    const empty = path.join(folder, 'empty.mjs');
    writeFileSync(empty, '');
    const commands = {
      bare: ['-e', '0'],
      empty: [empty],
      help: [file, '--help'],
      lint: [file, 'lint', suite],
    };
    const ratios = { empty: [], help: [], lint: [] };
    try {
      // The first round warms the file cache.
      for (let round = 0; round <= ROUNDS; round += 1) {
        const tookMs = {};
        for (const [name, args] of Object.entries(commands)) tookMs[name] = await timed(args);
        for (const [name, list] of Object.entries(ratios))
          if (round > 0) list.push(tookMs[name] / tookMs.bare);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const [help, lint, peer] = [ratios.help, ratios.lint, ratios.empty].map(median);
    return { help: [help, peer], lint: [lint, peer] };
  },
};

async function timed(args) {
  const startedMs = performance.now();
  const [code] = await once(startProcess(process.execPath, args, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - startedMs;
}
