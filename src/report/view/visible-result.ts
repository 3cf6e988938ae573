import { isExactNumber } from '../../json/exact-number.ts';
import { jsonText, shorten } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import type { OutputSample, RunSettings, TestResult } from '../../model/report.ts';

/** A value whose texts are all safe to show. Views are built only from such values. */
export type Visible<Value> = Value & { readonly [shown]: true };
declare const shown: unique symbol;

export type VisibleResult = Visible<
  Omit<TestResult, 'exchanges' | 'samples' | 'listingBasis'> & { readonly samples: readonly VisibleSample[] }
>;

/** The part of a result that says which requirements are met. */
export type VisibleJudgement = Visible<
  Pick<TestResult, 'results' | 'findings' | 'baseline'> & { readonly settings: Pick<RunSettings, 'failOn'> }
>;

type VisibleSample = ReturnType<typeof visibleSample>;

const MAX_CHARACTERS = 2000;
const MAX_JSON_CHARACTERS = 600;
/** Base64, which is decoded. */
const LEFT_ALONE = new Set(['histogram']);
/** A shortened command would be useless. */
const UNCUT = new Set(['curl', 'check']);

/**
 * Makes every text visible and shortens it, because a target may send names of megabytes; the JSON report has the full
 * texts. Leaves out the exchanges and other members that no format shows.
 */
export function visibleResult(result: TestResult): VisibleResult {
  const { exchanges: _, listingBasis: _basis, ...rest } = result;
  return madeVisible({ ...rest, target: result.target, samples: result.samples.map(visibleSample) });
}

/** The same for any other value that is shown. */
export function madeVisible<Value>(value: Value): Visible<Value> {
  return visibleIn(value, '') as Visible<Value>;
}

/** Input and output as JSON. */
function visibleSample({ input, output, ...sample }: OutputSample) {
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
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      visible(shorten(name, MAX_CHARACTERS)),
      visibleIn(inner, name),
    ]),
  );
}
