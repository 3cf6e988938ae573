import type { Invocation, Location, Log, Notification, Result } from 'sarif';
import { groupedBy } from '../../model/grouped-by.ts';
import type { ReportedFinding } from '../../model/judgement.ts';
import { failingLevel, type TestResult } from '../../model/report.ts';
import { isAtLeast, type Level } from '../../model/requirement.ts';
import { type Case, casesOf, NO_REQUIREMENTS, problemName } from '../view/cases.ts';
import { printable, printableCommand } from '../view/printable.ts';
import { summaryItems, verdictWord, verdictWords } from '../view/words.ts';
import type { RenderedFile } from './rendered-file.ts';
import { rulesOf } from './sarif-rules.ts';

/** Static Analysis Results Interchange Format 2.1.0, for GitHub code scanning and editors. */
export function renderSarif(result: TestResult): readonly RenderedFile[] {
  return [{ suffix: '.sarif', text: `${JSON.stringify(logOf(result), null, 2)}\n` }];
}

function logOf(result: TestResult): Log {
  const { harness, target, seed, findings } = result;
  const rules = rulesOf(result);
  const places = new Map(rules.map(({ id }, index) => [id, index]));
  const fingerprints = uniqueFingerprints(findings);
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'probity', version: printable(harness.version), rules: [...rules] } },
        // The part before the slash is the category by which GitHub knows the next run of the same kind.
        automationDetails: { id: `probity/${printable(result.id)}` },
        originalUriBaseIds: {
          [SUITES]: {
            description: {
              text: 'Where the suites are that the harness judged by, not the code of the target.',
            },
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [invocationOf(result, places)],
        results: findings.map((finding) => resultOf(finding, result, { places, fingerprints })),
        properties: {
          verdict: verdictWord(result),
          told: result.bench === undefined ? verdictWords(result) : NO_REQUIREMENTS,
          counts: summaryItems(result.summary),
          target: printable(target.url),
          seed,
        },
      },
    ],
  };
}

interface Indexes {
  readonly places: ReadonlyMap<string, number>;
  readonly fingerprints: ReadonlyMap<ReportedFinding, string>;
}

function resultOf(finding: ReportedFinding, result: TestResult, { places, fingerprints }: Indexes): Result {
  const { id, outcome, request, accepted, fault, curl, check } = finding;
  const failed = outcome === 'failed';
  const ruleId = printable(id);
  const fingerprint = fingerprints.get(finding) ?? printable(finding.fingerprint);
  return {
    ruleId,
    ruleIndex: places.get(ruleId) ?? -1,
    // The standard wants the level "none" of everything that is not a failure.
    kind: failed ? 'fail' : 'open',
    level: failed ? levelOf(finding.level, result) : 'none',
    message: { text: messageOf(finding) },
    locations: [locationOf(finding)],
    // GitHub looks at the first of these only.
    partialFingerprints: { primaryLocationLineHash: fingerprint, 'probityFinding/v1': fingerprint },
    ...(accepted === undefined
      ? {}
      : {
          suppressions: [
            {
              kind: 'external',
              status: 'accepted',
              justification: `${printable(accepted.reason)} (until ${printable(accepted.until)})`,
            },
          ],
        }),
    ...(request === null
      ? {}
      : { webRequest: { method: printable(request.method), target: printable(request.url) } }),
    properties: {
      fault,
      ...(curl === null ? {} : { curl: printableCommand(curl) }),
      again: printableCommand(check),
    },
  };
}

function levelOf(level: Level, { settings }: TestResult): 'error' | 'warning' | 'note' {
  if (isAtLeast(level, failingLevel(settings))) return 'error';
  return level === 'SHOULD' ? 'warning' : 'note';
}

function messageOf({ message, outcome, expected, received, where, fix }: ReportedFinding): string {
  const at = where.function === undefined ? '' : ` (function "${printable(where.function)}")`;
  return [
    `${outcome === 'inconclusive' ? 'undecided: ' : ''}${printable(message)}${at}`,
    `expected: ${printable(expected)}`,
    `received: ${printable(received)}`,
    ...(fix === '' ? [] : [`fix: ${printable(fix)}`]),
  ]
    .map(withoutLinks)
    .join('\n');
}

/** In the text of a message, `[words](address)` is a link, and a target’s words must not become one. */
function withoutLinks(text: string): string {
  return text.replaceAll('](', ']\\u{28}');
}

const SUITES = 'SUITES';

/**
 * GitHub shows no alert without a file. The only file that a finding is about for certain is the suite that judged it:
 * the code of the target is not known. GitHub takes the address as relative to the repository’s root. A suite of the
 * user’s own is usually found there; one of the product’s is not, and then the alert is listed with its path and its
 * message, but without lines of code and never inside a pull request, which is as it should be.
 */
function locationOf({ where }: ReportedFinding): Location {
  const { suite, line, column, function: name, pointer } = where;
  const logical = [
    ...(name === undefined || name === '' ? [] : [{ name: printable(name), kind: 'function' }]),
    ...(pointer === undefined || pointer === ''
      ? []
      : [{ fullyQualifiedName: printable(pointer), kind: 'value' }]),
  ];
  return {
    physicalLocation: {
      artifactLocation: fileOf(suite),
      region: { startLine: Math.max(1, line), startColumn: Math.max(1, column) },
    },
    ...(logical.length === 0 ? {} : { logicalLocations: logical }),
  };
}

function fileOf(suite: string): { readonly uri: string; readonly uriBaseId?: string } {
  const segments = (suite === '' ? 'unknown' : suite).split(/[/\\]/);
  const path = segments.map((segment) => encodeURIComponent(printable(segment))).join('/');
  return path.startsWith('/') ? { uri: `file://${path}` } : { uri: path, uriBaseId: SUITES };
}

/**
 * GitHub takes two results of one fingerprint for one. Those that share theirs are numbered by what else they say, so that
 * the order in which they were found does not matter.
 */
function uniqueFingerprints(findings: readonly ReportedFinding[]): ReadonlyMap<ReportedFinding, string> {
  const keyOf = ({ id, where, message, expected, received }: ReportedFinding): string =>
    JSON.stringify([
      id,
      where.step,
      where.function,
      where.case,
      where.pointer,
      where.line,
      message,
      expected,
      received,
    ]);
  const numbered = [...groupedBy(findings, ({ fingerprint }) => printable(fingerprint))].flatMap(
    ([fingerprint, group]) =>
      group
        .map((finding) => ({ finding, key: keyOf(finding) }))
        .toSorted((left, right) => (left.key < right.key ? -1 : Number(left.key > right.key)))
        .map(
          ({ finding }, index) =>
            [finding, index === 0 ? fingerprint : `${fingerprint}:${index + 1}`] as const,
        ),
  );
  return new Map(numbered);
}

function invocationOf(result: TestResult, places: ReadonlyMap<string, number>): Invocation {
  const blocked = casesOf(result).filter(({ state }) => state === 'blocked');
  const problems = result.baseline?.problems ?? [];
  const isWhole = result.bench !== undefined || (result.reachable && result.verdict !== 'incomplete');
  return {
    executionSuccessful: result.reachable,
    startTimeUtc: printable(result.startedAt),
    endTimeUtc: printable(result.finishedAt),
    toolExecutionNotifications: [
      ...(isWhole
        ? []
        : [
            {
              level: result.reachable ? 'warning' : 'error',
              message: { text: verdictWords(result) },
            } as const,
          ]),
      ...blocked.map((one) => blockedNotification(one, places)),
    ],
    toolConfigurationNotifications: problems.map((problem) => ({
      level: 'error',
      message: { text: withoutLinks(`baseline, ${problemName(problem)}: ${printable(problem.message)}`) },
    })),
  };
}

/** No result, since nothing was found; not silence either, which would read as a pass. */
function blockedNotification({ row, reason }: Case, places: ReadonlyMap<string, number>): Notification {
  const id = printable(row.id);
  return {
    level: 'warning',
    message: { text: withoutLinks(`${id} is not decided: ${reason}`) },
    associatedRule: { id, index: places.get(id) ?? -1 },
  };
}
