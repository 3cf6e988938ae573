import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { failedIn, printTable, REVISIONS } from './suite.mjs';

const ERAS = { session: REVISIONS[0], stateless: REVISIONS[1] };

/** Gives the reference server each fault of the mutants, or of those whose rows have one of these words, and prints who finds it. */
export async function compareFindings(suite, { serveFaulty, faults }, wanted = '') {
  const { mutants: all, others } = faults();
  const mutants = all.filter(({ requirement }) =>
    wanted.split(',').some((word) => requirement.includes(word)),
  );
  const sound = { requirement: 'none', what: 'is sound', subject: () => ({}) };
  const before = {};
  for (const era of Object.keys(ERAS)) {
    before[era] = await judge(suite, serveFaulty, sound, era);
    console.log(`without a fault, ${ERAS[era]}: ${words(before[era])}`);
  }
  const table = [['fault', 'revision', 'probity check', 'official suite']];
  const counts = { own: 0, official: 0, missed: 0 };
  for (const mutant of mutants)
    for (const era of mutant.era === undefined ? Object.keys(ERAS) : [mutant.era]) {
      if (isOfOtherEra(mutant, era)) continue;
      const found = without(await judge(suite, serveFaulty, mutant, era), before[era]);
      const name = `${mutant.requirement}: ${mutant.what}`;
      table.push([name, ERAS[era], listed(found.own), listed(found.official)]);
      console.error(table.at(-1).join(' | '));
      const isOwn = !found.own.every(isUndecided);
      const isOfficial = found.official.length > 0;
      counts.own += Number(isOwn);
      counts.official += Number(isOfficial);
      counts.missed += Number(isOfficial && !isOwn);
    }
  printTable(table);
  const { own, official, missed } = counts;
  console.log(
    `\n${table.length - 1} faults: probity check finds ${own}, the official suite ${official}; only the official suite ${missed}.`,
  );
  console.log(
    `${others} mutants over HTTP are left out: they change the server of their tests, not its messages.`,
  );
  return missed === 0;
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
      openRows(one.url, era),
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

const isUndecided = (row) => row.endsWith('(undecided)');

/** A fault in what opens a session fails nearly all scenarios. */
const listed = (found) =>
  found.length > 4 ? `${found.slice(0, 3).join(', ')} and ${found.length - 3} more` : found.join(', ') || '-';

const without = (found, before) => ({
  own: found.own.filter((id) => !before.own.includes(id)),
  official: found.official.filter((name) => !before.official.includes(name)),
});

const words = ({ own, official }) =>
  `probity check: ${own.join(', ') || 'nothing'}; the official suite: ${official.join(', ') || 'nothing'}`;

/** The rows that a check finds failed, or leaves undecided. */
async function openRows(url, era) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-agreement-'));
  try {
    const report = path.join(folder, 'report.json');
    const flags = ['--era', era, '--only', 'mcp/*', '--no-latency', '--no-store', '--deadline', '600'];
    const output = ['--format', 'json', '--output', report, '--quiet'];
    const parameters = ['dist/probity.js', 'check', '--mcp', url, ...flags, ...output];
    const { error } = await new Promise((resolve) => {
      execFile(process.execPath, parameters, (failure, _stdout, stderr) =>
        resolve({ error: failure === null ? null : stderr }),
      );
    });
    return rowsInReport(report) ?? [`no report: ${String(error).trim().slice(0, 200)}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The failed rows, with those that are undecided; null without a report. */
function rowsInReport(file) {
  try {
    const { results } = JSON.parse(readFileSync(file, 'utf8'));
    const of = (outcome) => results.filter((row) => row.outcome === outcome).map(({ id }) => id);
    return [...of('failed'), ...of('undecided').map((id) => `${id} (undecided)`)].sort();
  } catch {
    return null;
  }
}
