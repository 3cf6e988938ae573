import type { TestResult } from '../../src/model/report.ts';
import type { Level } from '../../src/model/requirement.ts';
import { PLAIN } from '../../src/report/terminal/layout.ts';
import { renderFull } from '../report/render-full.ts';
import type { Find } from './behaviour.ts';
import { differences } from './compare.ts';
import type { Outcome, Play } from './run-play.ts';

/** The problems of a play, except those of time and memory; empty if all is as expected. */
export function problemsOf(
  play: Play | null,
  outcome: Outcome,
  levels: ReadonlyMap<string, Level>,
): readonly string[] {
  const result = resultIn(outcome);
  if (result === null)
    return [
      `exit code ${outcome.code}, and no test result: ${outcome.stdout.slice(0, 200)} ${outcome.stderr}`,
    ];
  const finds = findsOf(play);
  const fact = play?.behaviour.fact;
  const terminal = renderFull(result, { palette: PLAIN, columns: 80 });
  return [
    ...differences(result, finds),
    ...(fact === undefined || result.facts.some(({ text }) => text.includes(fact))
      ? []
      : [`no fact contains “${fact}”`]),
    ...codeProblems(result, finds, outcome, levels),
    ...(saysOnlyTheFirstFailure(outcome, result) ? [] : [`on standard error: ${outcome.stderr}`]),
    ...(outcome.strayConnections === 0 ? [] : ['another server was called']),
    ...(LIVE.test(outcome.stdout) ? ['a live character in the test result'] : []),
    ...(LIVE.test(terminal) ? ['a live character in the terminal report'] : []),
  ];
}

/** After the address, one line may name a requirement that fails, before the report does. */
function saysOnlyTheFirstFailure({ stderr, url }: Outcome, { results }: TestResult): boolean {
  const start = `checking ${url}\n`;
  const [line, id] = /^fails: (\S+): .*\n$/.exec(stderr.slice(start.length)) ?? [''];
  const isTrue = id === undefined || results.some((row) => row.id === id && row.outcome === 'failed');
  return stderr === start + line && isTrue && !LIVE.test(line);
}

export function resultIn({ stdout }: Outcome): TestResult | null {
  try {
    return JSON.parse(stdout) as TestResult;
  } catch {
    return null;
  }
}

/** A run of the rows of one endpoint has no findings elsewhere. */
function findsOf(play: Play | null): readonly Find[] {
  if (play === null) return [];
  const finds = play.behaviour.finds[play.endpoint];
  return play.behaviour.on === 'accepted'
    ? finds.filter(({ row }) => row.startsWith(`${play.endpoint}/`))
    : finds;
}

/** Control characters except line ends, bidirectional marks and invisible characters. */
const LIVE =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0001}-\u{e007f}]/u;

function codeProblems(
  result: TestResult,
  finds: readonly Find[],
  { code }: Outcome,
  levels: ReadonlyMap<string, Level>,
): readonly string[] {
  const { coverage } = result;
  const open = result.results.some((row) => row.outcome === 'undecided' && row.because !== 'not-exercised');
  const undecided = open || (coverage !== undefined && coverage.exercised < coverage.needed);
  const broken = finds.some(({ row, outcome }) => outcome === 'failed' && levels.get(row) === 'MUST');
  const answered = result.exchanges.some(({ kind }) => kind === 'answered');
  const expected = !answered ? 3 : broken ? 1 : undecided ? 4 : 0;
  return code === expected ? [] : [`exit code ${code}, not ${expected}`];
}
