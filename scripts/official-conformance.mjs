// Runs the official conformance suite of the Model Context Protocol, installed from npm, against the code of the reference
// server, in both revisions that it scores, and prints a table of its scenarios: `node scripts/official-conformance.mjs`,
// after `npm run build`. With `--client` its client scenarios against the client of the bridge; with `--agreement` a table
// of who finds which fault of the mutants, `probity check` or the suite; with words after it (`cache,stable`), only of rows
// that have one of them.
import { fileURLToPath } from 'node:url';
import { importSources } from './bench/built-from-sources.mjs';
import { compareFindings } from './official/agreement.mjs';
import { failedIn, officialSuite, printTable, REVISIONS } from './official/suite.mjs';

const suite = officialSuite();
let isGood = true;

if (process.argv.includes('--client')) for (const revision of REVISIONS) await runClient(revision);
else if (process.argv.includes('--agreement'))
  isGood = await compareFindings(suite, await importFixtures(), process.argv[3]);
else for (const revision of REVISIONS) isGood = (await runServer(revision)) && isGood;
process.exitCode = isGood ? 0 : 1;

function importFixtures() {
  return importSources('scripts/official/serve-fixtures.ts');
}

async function runServer(revision) {
  const { serveFixtures } = await importFixtures();
  const server = await serveFixtures();
  const results = await suite.run(revision, 'server', ['--url', server.url]);
  await server.close();
  return report(`${revision}, server`, suite.scenarios(revision, 'server'), results);
}

/** The bridge is no whole client, so its table is only information. */
async function runClient(revision) {
  const command = `${process.execPath} ${fileURLToPath(import.meta.resolve('./official/bridge-client.mjs'))}`;
  const results = await suite.run(revision, 'client', ['--command', command, '--timeout', '120000']);
  report(`${revision}, client`, suite.scenarios(revision, 'client'), results);
}

/** Returns whether all scored scenarios pass. */
function report(title, scenarios, results) {
  const rows = scenarios.map(({ name, reason }) => {
    const checks = results.get(name) ?? [];
    const failed = failedIn(checks);
    const isDecided = checks.some(({ status }) => status === 'SUCCESS');
    const outcome = failed.length > 0 ? 'failed' : isDecided ? 'passed' : 'not decided';
    const told = [...failed, ...failedIn(checks, 'WARNING')].map(({ status, id }) => `${status} ${id}`);
    const [first = '', ...more] = new Set(told);
    const details = more.length === 0 ? first : `${first} and ${more.length} more`;
    return { scored: reason === null, cells: [name, reason ?? 'scored', outcome, details] };
  });
  const scored = rows.filter((row) => row.scored);
  const passed = scored.filter(({ cells }) => cells[2] === 'passed');
  console.log(`\n${title}: ${passed.length} of ${scored.length} scored scenarios pass\n`);
  printTable([['scenario', 'scored', 'outcome', 'checks'], ...rows.map(({ cells }) => cells)]);
  return passed.length === scored.length;
}
