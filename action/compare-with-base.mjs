import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { warn } from './messages.mjs';
import { runProbity } from './run-probity.mjs';

const RESULT = 'probity.json';
const WORSE = 1;

/**
 * Writes what changed since the base branch's report to a Markdown file and the job summary. Returns 'true' if something
 * got worse, 'false' if not, and '' if nothing was compared.
 */
export async function compareWithBase({ base, report, diff }) {
  if (base === '' || report === '') return '';
  const found = resultIn(base);
  if (found === null) {
    warn(
      `There is no report of the base branch at ${base}, so nothing was compared. That is normal until a check of the base branch has stored one; if there should be one, see whether its artifact has expired.`,
    );
    return '';
  }
  const code = await runProbity(['diff', '--format=markdown', `--output=${diff}`, '--', found, report]);
  if (code > WORSE) {
    warn(`The report of the base branch, ${found}, could not be compared, for the reason above.`);
    return '';
  }
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary) {
    // The check has written its report there, which is long.
    const written = existsSync(summary) ? readFileSync(summary, 'utf8') : '';
    writeFileSync(summary, `${readFileSync(diff, 'utf8')}\n${written}`);
  }
  return String(code === WORSE);
}

/** The file itself, or the result in a folder: downloading several artifacts puts each into its own folder. */
function resultIn(place) {
  if (!existsSync(place)) return null;
  if (statSync(place).isFile()) return place;
  const inside = readdirSync(place, { recursive: true }).filter((name) => path.basename(name) === RESULT);
  const [first] = inside.sort((left, right) => depthOf(left) - depthOf(right) || left.localeCompare(right));
  return first === undefined ? null : path.join(place, first);
}

function depthOf(name) {
  return name.split(path.sep).length;
}
