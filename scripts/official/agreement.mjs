import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { failedIn, printTable, REVISIONS } from './suite.mjs';

const ERAS = { session: REVISIONS[0], stateless: REVISIONS[1] };

/** Gives the reference server each fault of the mutants, and prints who finds it. */
export async function compareFindings(suite, { serveFaulty, faults }) {
  const { mutants, others } = faults();
  const sound = { requirement: 'none', what: 'is sound', subject: () => ({}) };
  const before = {};
  for (const era of Object.keys(ERAS)) {
    before[era] = await judge(suite, serveFaulty, sound, era);
    console.log(`without a fault, ${ERAS[era]}: ${words(before[era])}`);
  }
  const table = [['fault', 'revision', 'probity check', 'official suite']];
  const missed = [];
  for (const mutant of mutants)
    for (const era of mutant.era === undefined ? Object.keys(ERAS) : [mutant.era]) {
      if (isOfOtherEra(mutant, era)) continue;
      const found = without(await judge(suite, serveFaulty, mutant, era), before[era]);
      const name = `${mutant.requirement}: ${mutant.what}`;
      table.push([name, ERAS[era], listed(found.own), listed(found.official)]);
      console.error(table.at(-1).join(' | '));
      if (found.own.length === 0 && found.official.length > 0) missed.push(table.at(-1));
    }
  printTable(table);
  const count = (column) => table.slice(1).filter((row) => row[column] !== '-').length;
  console.log(
    `\n${table.length - 1} faults: probity check finds ${count(2)}, the official suite ${count(3)}; only the official suite ${missed.length}.\n${others} mutants over HTTP are left out: they change the server of their tests, not its messages.`,
  );
  return missed.length === 0;
}

const rows = new Map(
  parse(readFileSync('suites/requirements.yaml', 'utf8')).requirements.map((row) => [row.id, row]),
);

/** A row holds for some revisions only. */
function isOfOtherEra({ requirement }, era) {
  const { since = '', until = '9999' } = rows.get(requirement);
  return String(since) > ERAS[era] || String(until) < ERAS[era];
}

/** What each of both finds in a server with this fault. */
async function judge(suite, serveFaulty, mutant, era) {
  const [one, other] = [await serveFaulty(mutant), await serveFaulty(mutant)];
  try {
    const [own, results] = await Promise.all([
      failedRows(one.url, era),
      suite.run(ERAS[era], 'server', ['--url', other.url]),
    ]);
    const scored = new Set(
      suite
        .scenarios(ERAS[era], 'server')
        .filter(({ reason }) => reason !== 'extension')
        .map(({ name }) => name),
    );
    const official = [...results].filter(([name]) => scored.has(name)).flatMap(findingOf);
    return { own, official: official.sort() };
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}

/** What a scenario finds, a failure or a warning. */
function findingOf([name, checks]) {
  if (failedIn(checks).length > 0) return [name];
  return failedIn(checks, 'WARNING').length > 0 ? [`${name} (warning)`] : [];
}

/** A fault in what opens a session fails nearly all scenarios. */
const listed = (found) =>
  found.length > 4 ? `${found.slice(0, 3).join(', ')} and ${found.length - 3} more` : found.join(', ') || '-';

const without = (found, before) => ({
  own: found.own.filter((id) => !before.own.includes(id)),
  official: found.official.filter((name) => !before.official.includes(name)),
});

const words = ({ own, official }) =>
  `probity check: ${own.join(', ') || 'nothing'}; the official suite: ${official.join(', ') || 'nothing'}`;

/** The rows that a check finds failed. */
async function failedRows(url, era) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-agreement-'));
  try {
    const report = path.join(folder, 'report.json');
    const flags = ['--era', era, '--only', 'mcp/*', '--no-latency', '--no-store', '--timeout', '5'];
    const output = ['--format', 'json', '--output', report, '--quiet'];
    const parameters = ['dist/probity.js', 'check', '--mcp', url, ...flags, ...output];
    const { error } = await new Promise((resolve) => {
      execFile(process.execPath, parameters, (failure, _stdout, stderr) =>
        resolve({ error: failure === null ? null : stderr }),
      );
    });
    return failedInReport(report) ?? [`no report: ${String(error).trim().slice(0, 200)}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failedInReport(file) {
  try {
    const { findings } = JSON.parse(readFileSync(file, 'utf8'));
    return [...new Set(findings.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id))].sort();
  } catch {
    return null;
  }
}
