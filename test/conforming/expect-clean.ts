import { expect } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { RunParts } from '../../src/check/prepare-run.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { REFERENCE_SAMPLES } from '../../src/reference/functions.ts';
import { checkHere } from '../check/check-here.ts';
import { PATIENT } from '../patience.ts';
import { type KindOfRow, kindOf } from '../row-kind.ts';

interface Running {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** One seed for all checks, so that a failure can be reproduced. */
const SEED = 20_260_131;

/** An unusual server may conform to the contract without passing every negative step. */
export const BEYOND_CONTRACT = ['robustness/*', 'security/*', 'transport/*'];
/** Generated inputs are tried on the natural servers, in a run of their own. */
const SKIPPED = [...BEYOND_CONTRACT, 'inputs/*'];

/** Checks a server with the samples of the reference, and closes it. */
export async function checkTarget<T extends Running>(
  starting: Promise<T> | T,
  options: CheckOptions = {},
  parts: RunParts = {},
): Promise<TestResult & { readonly served: T }> {
  const served = await starting;
  try {
    const result = await checkHere(
      served.url,
      {
        seed: SEED,
        samples: REFERENCE_SAMPLES,
        skip: SKIPPED,
        latency: { off: true },
        ...PATIENT,
        ...options,
      },
      { ...parts, signal: new AbortController().signal },
    );
    return { ...result, served };
  } finally {
    await served.close();
  }
}

/** Ids of the rows with an outcome, in the order of the registry. */
export function rowsWith({ results }: TestResult, ...kinds: readonly KindOfRow[]): readonly string[] {
  return results.filter((row) => kinds.includes(kindOf(row))).map(({ id }) => id);
}

export function findingsInBrief({ findings }: TestResult): readonly string[] {
  return findings.map(
    ({ id, outcome, where, message, expected, received }) =>
      `${outcome} ${id} ${where.function ?? ''} ${where.pointer ?? ''}: ${message}; expected ${expected}; received ${received}`,
  );
}

const ONLY_FORM_A: readonly string[] = [
  'capabilities/inputs-array',
  'capabilities/outputs-array',
  'capabilities/keys-unique',
  'execute/outputs-declared',
  'execute/output-object',
];
const ONLY_FORM_B: readonly string[] = [
  'capabilities/parameters-schema',
  'capabilities/parameters-typed',
  'capabilities/required-declared',
  'capabilities/returns-schema',
  'capabilities/schema-valid',
  'capabilities/mcp-version-supported',
  'capabilities/mcp-version-string',
  'capabilities/server-info',
  'capabilities/versions-agree',
  'documentation/parameter-descriptions',
  'documentation/parameter-types',
  'execute/result-keys-declared',
  'execute/result-matches-returns',
  'execute/execution-time-plausible',
  'execute/request-id-echo',
  'execute/result-object',
  'execute/execution-time',
  'execute/request-id-optional',
  'execute/parameters-default',
  'errors/error-request-id',
  'errors/missing-required',
  'errors/wrong-type',
];
/** Rows of other groups also depend on the address and the options. */
const CONTRACT_GROUP = /^(health|capabilities|documentation|execute|errors)\//;

export interface Expected {
  readonly form: Form;
  /** Inapplicable rows, besides those of the other form. */
  readonly inapplicable?: readonly string[];
  /** Rows of the other form that apply. */
  readonly applicable?: readonly string[];
}

/** Expects a conforming target: no findings, a pass, and no unexpected inapplicable rows. */
export function expectClean(
  result: TestResult,
  { form, inapplicable = [], applicable = [] }: Expected,
): void {
  expect(findingsInBrief(result)).toEqual([]);
  expect(rowsWith(result, 'failed', 'blocked', 'undecided')).toEqual([]);
  expect(result.verdict).toBe('pass');
  expect(result.target.form).toEqual({ capabilities: form, execute: form });
  const ofOtherForm = (form === 'A' ? ONLY_FORM_B : ONLY_FORM_A).filter((id) => !applicable.includes(id));
  expect(
    rowsWith(result, 'inapplicable')
      .filter((id) => CONTRACT_GROUP.test(id))
      .toSorted(),
  ).toEqual([...ofOtherForm, ...inapplicable].toSorted());
}
