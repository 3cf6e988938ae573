import type { TestResult } from '../../model/report.ts';
import type { NamedResult, RenderedFile } from '../target-entry.ts';
import type { FindingView, RequirementView } from '../view/judgement-view.ts';
import { eachNotExercised, namedView, type ReportView, reportView } from '../view/report-view.ts';

// This folder has a file for each format. It lays out a view and escapes its texts; it decides nothing. The formats of a
// result are found by their names (CONTRIBUTING.md, “Add a report format”); those of differences, trends and indexes are
// listed in `src/check/render/`.

/** Test Anything Protocol, version 14. */
export function renderTap(result: TestResult): readonly RenderedFile[] {
  const view = reportView(result);
  const points = pointsOf(view);
  const { harness, target, seed, word, words } = view;
  const lines = [
    'TAP version 14',
    points.length === 0 ? `1..0 # SKIP ${words}` : `1..${points.length}`,
    `# probity ${harness.version}, ${target.url}, seed ${seed}`,
    ...points.flatMap(pointLines),
    `# ${word}: ${words}`,
  ];
  return [{ suffix: '.tap', text: `${lines.join('\n')}\n` }];
}

/** Several targets: a subtest for each. */
export function renderTapTogether(targets: readonly NamedResult[]): readonly RenderedFile[] {
  const lines = targets.map(namedView).flatMap(({ name, view }, index) => {
    const points = pointsOf(view);
    const { word, words, mark } = view;
    const isMet = mark === 'pass' || mark === 'measured';
    const head = `${isMet ? 'ok' : 'not ok'} ${index + 1} - ${escaped(name)}`;
    return [
      withoutBlock(`# Subtest: ${escaped(name)}`),
      ...[
        points.length === 0 ? `1..0 # SKIP ${words}` : `1..${points.length}`,
        ...points.flatMap(pointLines),
        `# ${word}: ${words}`,
      ].map((line) => `    ${line}`),
      withoutBlock(head),
    ];
  });
  const text = `${['TAP version 14', `1..${targets.length}`, ...lines].join('\n')}\n`;
  return [{ suffix: '.tap', text }];
}

interface Point {
  readonly ok: boolean;
  readonly description: string;
  readonly directive: string;
  readonly diagnostics: readonly string[];
}

function pointsOf(view: ReportView): readonly Point[] {
  const failure = (description: string, message: string): Point => ({
    ok: false,
    description,
    directive: '',
    diagnostics: fields({ message }),
  });
  return [
    ...view.requirements.map((one) => requirementPoint(one, view)),
    ...view.problems.map(({ name, message }) => failure(`baseline, ${name}`, message)),
    ...eachNotExercised(view).map(
      ({ name, words }): Point => ({
        ok: true,
        description: `function ${name}`,
        directive: `SKIP not exercised: ${words}`,
        diagnostics: [],
      }),
    ),
    ...(view.needsVerdict ? [failure(`verdict: ${view.word}`, view.words)] : []),
  ];
}

const SKIPPED: ReadonlySet<RequirementView['state']> = new Set([
  'inapplicable',
  'blocked',
  'not-exercised',
  'accepted',
]);

/** A test that fails with the directive TODO does not fail the run, like a warning. */
function requirementPoint(one: RequirementView, { settings }: ReportView): Point {
  const { id, state, reason } = one;
  const skipped = SKIPPED.has(state);
  return {
    ok: state === 'passed' || skipped,
    description: id,
    directive: skipped
      ? `SKIP ${reason}`
      : state === 'warning'
        ? `TODO a warning: only what is ${settings.failOn === 'must' ? 'MUST' : 'MUST or SHOULD'} fails the run`
        : '',
    diagnostics: state === 'failed' || state === 'warning' || state === 'undecided' ? diagnostics(one) : [],
  };
}

function diagnostics(one: RequirementView): readonly string[] {
  const { outcome, level, spec, text, state, reason, findings } = one;
  const [first] = findings;
  return [
    ...fields({
      message: reason,
      severity: state === 'warning' ? 'warning' : 'fail',
      outcome,
      level,
      section: spec,
      requirement: text,
      why: first?.why,
      fix: first?.fix,
      again: first?.check,
    }),
    ...(first === undefined ? [] : ['findings:', ...findings.flatMap(findingLines)]),
  ];
}

function findingLines(finding: FindingView): readonly string[] {
  const { message, expected, received, outcome, where, fault, curl } = finding;
  const at = `${where.suite}:${where.line}:${where.column}`;
  const { function: name, case: oneCase, pointer } = where;
  const texts = { message, outcome, expected, received, fault, at, function: name, case: oneCase, pointer };
  return fields({ ...texts, curl }).map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`);
}

/** A JSON string is also a YAML string, and none of its characters have another meaning. */
function fields(texts: Readonly<Record<string, string | null | undefined>>): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    text == null ? [] : [`${name}: ${JSON.stringify(text)}`],
  );
}

function pointLines(
  { ok, description, directive, diagnostics: lines }: Point,
  index: number,
): readonly string[] {
  const head = `${ok ? 'ok' : 'not ok'} ${index + 1} - ${escaped(description)}`;
  return [
    withoutBlock(directive === '' ? head : `${head} # ${escaped(directive)}`),
    ...(lines.length === 0 ? [] : ['  ---', ...lines.map((line) => `  ${line}`), '  ...']),
  ];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\#]/g, '\\$&');
}

/** Some readers interpret a brace at the end of a line as the start of a subtest. */
function withoutBlock(line: string): string {
  return line.replace(/\{\s*$/, '\\\\u{7B}');
}
