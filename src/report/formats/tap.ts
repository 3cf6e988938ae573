import type { ReportedFinding } from '../../model/judgement.ts';
import type { TestResult } from '../../model/report.ts';
import { type Case, casesOf, NO_REQUIREMENTS, needsVerdict, problemName } from '../view/cases.ts';
import { printable, printableCommand } from '../view/printable.ts';
import { verdictWord, verdictWords } from '../view/words.ts';
import type { RenderedFile } from './rendered-file.ts';

/** Test Anything Protocol, version 14. */
export function renderTap(result: TestResult): readonly RenderedFile[] {
  const points = pointsOf(result);
  const { harness, target, seed } = result;
  const lines = [
    'TAP version 14',
    points.length === 0 ? `1..0 # SKIP ${NO_REQUIREMENTS}` : `1..${points.length}`,
    `# probity ${printable(harness.version)}, ${printable(target.url)}, seed ${seed}`,
    ...points.flatMap(pointLines),
    `# ${result.bench === undefined ? `${verdictWord(result)}: ${printable(verdictWords(result))}` : NO_REQUIREMENTS}`,
  ];
  return [{ suffix: '.tap', text: `${lines.join('\n')}\n` }];
}

interface Point {
  readonly ok: boolean;
  readonly description: string;
  readonly directive: string;
  readonly diagnostics: readonly string[];
}

function pointsOf(result: TestResult): readonly Point[] {
  const cases = casesOf(result);
  const problems = (result.baseline?.problems ?? []).map(
    (problem): Point => ({
      ok: false,
      description: `baseline, ${problemName(problem)}`,
      directive: '',
      diagnostics: field('message', printable(problem.message)),
    }),
  );
  const verdict: Point = {
    ok: false,
    description: `verdict: ${verdictWord(result)}`,
    directive: '',
    diagnostics: field('message', printable(verdictWords(result))),
  };
  return [
    ...cases.map((one) => requirementPoint(one, result)),
    ...problems,
    ...(needsVerdict(result, cases) ? [verdict] : []),
  ];
}

/** A test that fails with the directive TODO does not fail the run, which is what a warning is. */
function requirementPoint(one: Case, { settings }: TestResult): Point {
  const { row, state, reason } = one;
  const skipped = state === 'inapplicable' || state === 'blocked' || state === 'accepted';
  return {
    ok: state === 'passed' || skipped,
    description: printable(row.id),
    directive: skipped
      ? `SKIP ${reason}`
      : state === 'warning'
        ? `TODO a warning: only what is ${settings.failOn === 'must' ? 'MUST' : 'MUST or SHOULD'} fails the run`
        : '',
    diagnostics:
      state === 'failed' || state === 'warning' || state === 'inconclusive' ? diagnostics(one) : [],
  };
}

function diagnostics({ row, state, reason, findings }: Case): readonly string[] {
  const [first] = findings;
  return [
    ...field('message', reason),
    ...field('severity', state === 'warning' ? 'warning' : 'fail'),
    ...field('outcome', row.outcome),
    ...field('level', row.level),
    ...field('section', printable(row.spec)),
    ...(row.text === undefined ? [] : field('requirement', printable(row.text))),
    ...(first === undefined
      ? []
      : [
          ...field('why', printable(first.why)),
          ...field('fix', printable(first.fix)),
          ...field('again', printableCommand(first.check)),
          'findings:',
          ...findings.flatMap(findingLines),
        ]),
  ];
}

function findingLines({
  message,
  expected,
  received,
  outcome,
  where,
  fault,
  curl,
}: ReportedFinding): readonly string[] {
  const fields = [
    ...field('message', printable(message)),
    ...field('outcome', outcome),
    ...field('expected', printable(expected)),
    ...field('received', printable(received)),
    ...field('fault', fault),
    ...field('at', printable(`${where.suite}:${where.line}:${where.column}`)),
    ...(where.function === undefined ? [] : field('function', printable(where.function))),
    ...(where.case === undefined ? [] : field('case', printable(where.case))),
    ...(where.pointer === undefined ? [] : field('pointer', printable(where.pointer))),
    ...(curl === null ? [] : field('curl', printableCommand(curl))),
  ];
  return fields.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`);
}

/** A string of JSON is one of YAML as well, and nothing in it is taken for anything else. */
function field(name: string, text: string): readonly string[] {
  return [`${name}: ${JSON.stringify(text)}`];
}

function pointLines(
  { ok, description, directive, diagnostics: told }: Point,
  index: number,
): readonly string[] {
  const head = `${ok ? 'ok' : 'not ok'} ${index + 1} - ${escaped(description)}`;
  return [
    withoutBlock(directive === '' ? head : `${head} # ${escaped(directive)}`),
    ...(told.length === 0 ? [] : ['  ---', ...told.map((line) => `  ${line}`), '  ...']),
  ];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\#]/g, '\\$&');
}

/** Some readers take a brace at the end of a line for the start of a subtest. */
function withoutBlock(line: string): string {
  return line.replace(/\{\s*$/, '\\\\u{7B}');
}
