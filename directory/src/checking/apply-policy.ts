import {
  type ListingEvidence,
  type ListingJudgement,
  type ListingRow,
  namesInLine,
  type TestResult,
} from 'probity/model';
import type { Policy } from '../settings/policy.ts';

type Rules = Pick<Policy, 'rejectOn' | 'minimumCoverage' | 'requireAudit'>;

/** A judgement by the rules of the operator, which may ask for more than the specification. Pure. */
export function withPolicy({ rows }: ListingJudgement, result: TestResult, rules: Rules): ListingJudgement {
  const added = [...shouldEvidence(result, rules), ...coverageEvidence(result, rules)];
  const judged = rows.map((row): ListingRow => {
    if (row.requirement === 'listing/mcp-support') return withEvidence(row, added);
    if (row.requirement === 'listing/security-audit' && rules.requireAudit) return { ...row, level: 'MUST' };
    return row;
  });
  const outcomes = judged.filter(({ level }) => level === 'MUST').map(({ outcome }) => outcome);
  const isGood = outcomes.every((outcome) => outcome === 'passed');
  return { decision: outcomes.includes('failed') ? 'reject' : isGood ? 'list' : 'hold', rows: judged };
}

/** Why a server is undecided, in sentences; none when it is decided. Without a result, only the rows say it. Pure. */
export function missingOf(
  result: TestResult | null,
  { decision, rows }: ListingJudgement,
): readonly string[] {
  // What failed decides.
  if (decision === 'reject') return [];
  const undecided = rows.flatMap(({ level, evidence }) =>
    level === 'MUST'
      ? evidence.flatMap((one) => (one.kind === 'undecided' ? [`${one.text}. ${one.remedy}`] : []))
      : [],
  );
  if (undecided.length > 0 || result === null) return undecided;
  if (result.verdict !== 'incomplete') return [];
  const names = result.results
    .filter(({ level, outcome }) => level === 'MUST' && outcome === 'undecided')
    .map(({ id }) => id);
  const what = names.length === 0 ? '' : `, such as ${namesInLine(names, MAX_NAMED)}`;
  return [`The last test could not decide everything that it must${what}.`, ...uncalled(result)];
}

const MAX_NAMED = 5;

/** The requirements of level SHOULD that failed, if the operator rejects for them. */
function shouldEvidence({ results }: TestResult, { rejectOn }: Rules): readonly ListingEvidence[] {
  if (rejectOn !== 'should') return [];
  const failed = results.filter(({ level, outcome }) => level === 'SHOULD' && outcome === 'failed');
  if (failed.length === 0) return [];
  const names = namesInLine(
    failed.map(({ id }) => id),
    MAX_NAMED,
  );
  return [
    evidence('missing', {
      text: `this directory asks for requirements of level SHOULD, too; not met: ${names}`,
      expected: 'no failed requirement of level SHOULD',
      received: names,
      remedy: 'Fix the findings of these requirements, and test the server again.',
    }),
  ];
}

/** The functions that gave no result, if they are more than the operator accepts. */
function coverageEvidence(result: TestResult, { minimumCoverage }: Rules): readonly ListingEvidence[] {
  const share = coverageOf(result);
  if (share === null || share >= minimumCoverage) return [];
  const received = `${Math.floor(share)} % of the functions gave a result`;
  return [
    evidence('undecided', {
      text: `${received}, and this directory asks for ${minimumCoverage} %`,
      expected: `a result of ${minimumCoverage} % of the functions`,
      received,
      remedy: [SAMPLES_ADVICE, ...uncalled(result)].join(' '),
    }),
  ];
}

/** The percentage of the functions that gave a result, without those that nobody may call; null without functions. */
function coverageOf({ coverage }: TestResult): number | null {
  if (coverage === undefined || coverage.listed === coverage.excluded) return null;
  return (100 * coverage.exercised) / (coverage.listed - coverage.excluded);
}

function uncalled({ coverage }: TestResult): readonly string[] {
  return (coverage?.notExercised ?? [])
    .slice(0, MAX_NAMED)
    .map(({ function: name, why, sample }) => `${name}: ${why}.${sample === undefined ? '' : ` ${sample}`}`);
}

/** The advice of a check is about its configuration, which a directory does not have. */
const SAMPLES_ADVICE =
  'Give an input that works for each of the others under `samples` in the listing, and update it. What no sample can call, such as a function that asks its user, needs the operator: an approval, or a lower `minimumCoverage` in the policy.';

type Lack = Exclude<ListingEvidence, { kind: 'found' }>;

function evidence(
  kind: 'missing' | 'undecided',
  words: Pick<Lack, 'text' | 'expected' | 'received' | 'remedy'>,
): ListingEvidence {
  return {
    kind,
    fault: 'server',
    ...words,
    where: { file: 'the rules of the directory', line: 1, column: 1 },
  };
}

function withEvidence(row: ListingRow, added: readonly ListingEvidence[]): ListingRow {
  const kinds = added.map(({ kind }) => kind);
  const outcome = kinds.includes('missing')
    ? 'failed'
    : kinds.includes('undecided') && row.outcome === 'passed'
      ? 'undecided'
      : row.outcome;
  return { ...row, outcome, evidence: [...row.evidence, ...added] };
}
