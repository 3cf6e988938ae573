import { oneOf, requireArguments, required } from '../../model/arguments.ts';
import { RESULT, type TestResult } from '../../model/report.ts';
import type { RenderedFile } from '../../report/target-entry.ts';
import { FORMATS } from '../generated/formats.ts';

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];

/**
 * A result as the files of one format. Pure, and the same for the same result.
 * @throws OptionError when the format is unknown
 */
export async function renderFormat(result: TestResult, format: FormatName): Promise<readonly RenderedFile[]> {
  requireArguments(
    'renderFormat',
    { result, format },
    { result: RESULT, format: required(oneOf(...FORMAT_NAMES)) },
  );
  return (await FORMATS[format]())(result);
}
