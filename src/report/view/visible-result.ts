import { jsonText, shorten } from '../../model/json.ts';
import type { OutputSample, RunSettings, TestResult } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';

/** A value of which every text may be shown: views are made of no other. */
export type Visible<Value> = Value & { readonly [shown]: true };
declare const shown: unique symbol;

export type VisibleResult = Visible<
  Omit<TestResult, 'exchanges' | 'samples' | 'listingBasis'> & { readonly samples: readonly VisibleSample[] }
>;

/** The part of a result that says which requirements are met. */
export type VisibleJudgement = Visible<
  Pick<TestResult, 'results' | 'findings' | 'baseline'> & { readonly settings: Pick<RunSettings, 'failOn'> }
>;

export interface VisibleSample {
  readonly function: string;
  /** JSON. */
  readonly input: string;
  readonly output: string;
  readonly durationMs: number;
}

const MAX_CHARACTERS = 2000;
const MAX_JSON_CHARACTERS = 600;
/** Base64, and read as such. */
const LEFT_ALONE = new Set(['histogram']);
/** A command is of no use when it is cut. */
const UNCUT = new Set(['curl', 'check']);

/**
 * Every text made visible, and cut to a length that people read: a target may have names of megabytes, and the JSON report
 * has them whole. The exchanges and others that no format shows are left out.
 */
export function visibleResult(result: TestResult): VisibleResult {
  const { exchanges: _, listingBasis: _basis, ...rest } = result;
  return madeVisible({ ...rest, samples: result.samples.map(visibleSample) });
}

/** The same of any other value that is shown. */
export function madeVisible<Value>(value: Value): Visible<Value> {
  return visibleIn(value, '') as Visible<Value>;
}

function visibleSample({ input, output, ...sample }: OutputSample): VisibleSample {
  return {
    ...sample,
    input: shorten(jsonText(input), MAX_JSON_CHARACTERS),
    output: shorten(jsonText(output), MAX_JSON_CHARACTERS),
  };
}

function visibleIn(value: unknown, key: string): unknown {
  if (typeof value === 'string') {
    if (LEFT_ALONE.has(key)) return value;
    return visible(UNCUT.has(key) ? value : shorten(value, MAX_CHARACTERS));
  }
  if (Array.isArray(value)) return value.map((item) => visibleIn(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      visible(shorten(name, MAX_CHARACTERS)),
      visibleIn(inner, name),
    ]),
  );
}
