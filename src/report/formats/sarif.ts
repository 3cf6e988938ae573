import type { Invocation, Location, Log, Notification, ReportingDescriptor, Result, Run } from 'sarif';
import { failingLevel, type TestResult } from '../../model/report.ts';
import { type Level, severityOf } from '../../model/requirement.ts';
import { sourceOf } from '../../model/source-map.ts';
import { lastingName } from '../fingerprint.ts';
import type { NamedResult, RenderedFile } from '../target-entry.ts';
import { briefLines } from '../view/finding-lines.ts';
import type { FindingView, RequirementView } from '../view/judgement-view.ts';
import { namedView, type ReportView, reportView } from '../view/report-view.ts';
import { plain } from './markdown-text.ts';
import { uniqueFingerprints } from './unique-fingerprints.ts';

/** Static Analysis Results Interchange Format 2.1.0, for GitHub code scanning and editors. */
export function renderSarif(result: TestResult): readonly RenderedFile[] {
  return logFile([runOf(reportView(result), 'probity')]);
}

/** Several targets: a run for each, with a category of its own, because GitHub keeps one run of each category. */
export function renderSarifTogether(targets: readonly NamedResult[]): readonly RenderedFile[] {
  return logFile(
    targets.map(namedView).map(({ name, view }) => runOf(view, `probity-${encodeURIComponent(name)}`)),
  );
}

function logFile(runs: readonly Run[]): readonly RenderedFile[] {
  const log: Log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [...runs],
  };
  return [{ suffix: '.sarif', text: `${JSON.stringify(log, null, 2)}\n` }];
}

function runOf(view: ReportView, category: string): Run {
  const { harness, target, seed, settings, requirements } = view;
  const rules = rulesOf(requirements, failingLevel(settings));
  const places = new Map(rules.map(({ id }, index) => [id, index]));
  const findings = requirements.flatMap((one) => one.findings);
  const fingerprints = uniqueFingerprints(findings);
  return {
    tool: { driver: { name: 'probity', version: harness.version, rules: [...rules] } },
    // GitHub uses the part before the slash as the category that identifies later runs of the same kind.
    automationDetails: { id: `${category}/${view.id}` },
    originalUriBaseIds: {
      [SUITES]: {
        description: { text: 'The location of the suites that the harness used, not of the target’s code.' },
      },
    },
    columnKind: 'utf16CodeUnits',
    invocations: [invocationOf(view, places)],
    results: findings.map((finding) => {
      const fingerprint = fingerprints.get(finding) ?? finding.fingerprint;
      return resultOf(finding, view, places.get(finding.id) ?? -1, fingerprint);
    }),
    properties: { verdict: view.word, told: view.words, counts: view.counts, target: target.url, seed },
  };
}

function resultOf(finding: FindingView, view: ReportView, ruleIndex: number, fingerprint: string): Result {
  const { id, outcome, request, accepted, fault, curl, check } = finding;
  const failed = outcome === 'failed';
  return {
    ruleId: id,
    ruleIndex,
    // The standard requires the level "none" for everything that is not a failure.
    kind: failed ? 'fail' : 'open',
    level: failed ? severityOf(finding.level, failingLevel(view.settings)) : 'none',
    message: { text: briefLines(finding).map(withoutLinks).join('\n') },
    locations: [locationOf(finding, view)],
    // GitHub uses only the first of these.
    partialFingerprints: { primaryLocationLineHash: fingerprint, 'probityFinding/v1': fingerprint },
    ...(accepted && {
      suppressions: [
        {
          kind: 'external',
          status: 'accepted',
          justification: `${accepted.reason} (until ${accepted.until})`,
        },
      ],
    }),
    ...(request === null ? {} : { webRequest: { method: request.method, target: request.url } }),
    properties: { fault, ...(curl === null ? {} : { curl }), ...(check === null ? {} : { again: check }) },
  };
}

/** In a message, `[words](address)` is a link, and text from a target must not become one. */
function withoutLinks(text: string): string {
  return text.replaceAll('](', ']\\u{28}');
}

const SUITES = 'SUITES';

/**
 * GitHub shows no alert without a file. Where the configuration does not say which code it is about, the file is the
 * suite that judged the finding. GitHub resolves its path in the repository. A user’s suite usually exists there. For a suite of the product,
 * GitHub lists the alert with its path and message, but without lines of code and not inside a pull request.
 */
function locationOf({ id, where }: FindingView, { settings }: ReportView): Location {
  const { suite, line, column, function: name, pointer } = where;
  const logical = [
    ...(name === undefined || name === '' ? [] : [{ name: name, kind: 'function' }]),
    ...(pointer === undefined || pointer === '' ? [] : [{ fullyQualifiedName: pointer, kind: 'value' }]),
  ];
  const source = sourceOf(settings.sources, id, lastingName(name));
  return {
    physicalLocation:
      source === null
        ? {
            artifactLocation: fileOf(suite),
            region: { startLine: Math.max(1, line), startColumn: Math.max(1, column) },
          }
        : { artifactLocation: { uri: fileOf(source.file).uri }, region: { startLine: source.line } },
    ...(logical.length === 0 ? {} : { logicalLocations: logical }),
  };
}

function fileOf(suite: string): { readonly uri: string; readonly uriBaseId?: string } {
  // A backslash starts an escaped character or separates a Windows path.
  const segments = (suite === '' ? 'unknown' : suite).split(/\/|\\(?!u\{)/);
  const path = segments.map((segment) => encodeURIComponent(segment)).join('/');
  return path.startsWith('/') ? { uri: `file://${path}` } : { uri: path, uriBaseId: SUITES };
}

function invocationOf(view: ReportView, places: ReadonlyMap<string, number>): Invocation {
  const { requirements, problems, mark, reachable, words } = view;
  const blocked = requirements.filter(({ state }) => state === 'blocked');
  const isWhole = mark !== 'unreachable' && mark !== 'incomplete';
  return {
    executionSuccessful: reachable,
    startTimeUtc: view.startedAt,
    endTimeUtc: view.finishedAt,
    toolExecutionNotifications: [
      ...(isWhole ? [] : [{ level: reachable ? 'warning' : 'error', message: { text: words } } as const]),
      ...blocked.map((one) => blockedNotification(one, places)),
    ],
    toolConfigurationNotifications: problems.map(({ name, message }) => ({
      level: 'error',
      message: { text: withoutLinks(`baseline, ${name}: ${message}`) },
    })),
  };
}

/** Not a result, because nothing was found, but not omitted, which would look like a pass. */
function blockedNotification(
  { id, reason }: RequirementView,
  places: ReadonlyMap<string, number>,
): Notification {
  return {
    level: 'warning',
    message: { text: withoutLinks(`${id} is not decided: ${reason}`) },
    associatedRule: { id, index: places.get(id) ?? -1 },
  };
}

/** Every requirement of the run once, including those that passed, so that a viewer shows what was checked. */
function rulesOf(requirements: readonly RequirementView[], failOn: Level): readonly ReportingDescriptor[] {
  return [...new Map(requirements.toReversed().map((one) => [one.id, one])).values()]
    .toReversed()
    .map((one) => ruleOf(one, failOn));
}

function ruleOf(
  { id, level, section, area, text, advice }: RequirementView,
  failOn: Level,
): ReportingDescriptor {
  const about = `${level}, ${section}: ${text ?? id}`;
  const texts = new Map(advice);
  const help = [
    ['Why', texts.get('why') ?? ''],
    ['Fix', texts.get('fix') ?? ''],
  ].filter(([, words]) => words !== '');
  const page = requirementPage(id, text);
  return {
    id,
    name: nameOf(id),
    ...(page === undefined ? {} : { helpUri: page }),
    shortDescription: { text: text ?? id },
    fullDescription: { text: about },
    help: {
      text: [about, ...help.map(([label, words]) => `${label}: ${words}`)].join('\n'),
      markdown: [plain(about), ...help.map(([label, words]) => `**${label}:** ${plain(words ?? '')}`)].join(
        '\n\n',
      ),
    },
    defaultConfiguration: { level: severityOf(level, failOn) },
    properties: { tags: [...new Set([level, area])], level, section },
  };
}

/** `HealthStatus200`. */
function nameOf(id: string): string {
  return id
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');
}

const PAGE = 'https://github.com/probity-mcp/probity/blob/main/docs/requirements.md';

/** The section about a requirement of the registry; undefined for one of the user's, which has no page. */
function requirementPage(id: string, text: string | undefined): string | undefined {
  if (text === undefined || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id)) return undefined;
  // GitHub leaves out the slash when it makes an anchor of a heading.
  return `${PAGE}#${id.replace('/', '')}`;
}
