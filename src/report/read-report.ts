import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { withDigits } from '../json/exact-json.ts';
import { type JsonObject, ownProperty } from '../json/json.ts';
import { decisionOf } from '../listing/decide-listing.ts';
import { requireArguments, required, textThatIs } from '../model/arguments.ts';
import { LISTING_LEVELS } from '../model/listing.ts';
import type { TestResult } from '../model/report.ts';
import { parseTarget } from '../model/target.ts';
import { concluded } from './rows.ts';

/**
 * Reads a saved test result.
 *
 * @throws Error with the mistake in the file
 * @throws OptionError when the name of the file is not a string
 */
export async function readReport(file: string): Promise<TestResult> {
  requireArguments('readReport', { file }, { file: required(textThatIs('the name of a file')) });
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    throw new Error(
      `Cannot read ${file}: ${code === 'ENOENT' ? 'the file does not exist' : (code ?? String(error))}.`,
      { cause: error },
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
  // By far the largest module of the product.
  const { validateTestResult } = await import('../generated/test-result.js');
  if (validateTestResult(value)) {
    const result = withExactInputs(value as TestResult, text);
    const defect = (await contractDefectIn(result)) ?? defectIn(result);
    if (defect === null) return result;
    throw new Error(`${file} is not a usable test result: ${defect}.`);
  }
  if (madeThroughBridge(value))
    throw new Error(
      `${file} was made by a version of Probity that checked servers of the Model Context Protocol through a bridge. This version reads only what such a server itself sent: check the server again.`,
    );
  const [error] = validateTestResult.errors ?? [];
  const where = error?.instancePath === '' ? 'the document' : error?.instancePath;
  const extra = error?.params?.additionalProperty;
  const what = typeof extra === 'string' ? `${error?.message}: "${extra}"` : error?.message;
  throw new Error(
    `${file} is not a test result of this version: ${where} ${what}. Check the target again with this version (schemas/test-result.schema.json describes a result).`,
  );
}

/** What such a report holds was written by the bridge, so the rows of this version cannot be decided from it. */
function madeThroughBridge(value: unknown): boolean {
  return ownProperty(ownProperty(value, 'settings'), 'bridged') !== undefined;
}

/** The only values of servers and users in a report; bodies are texts. */
function withExactInputs(result: TestResult, text: string): TestResult {
  const { settings, samples } = withDigits(result as unknown as JsonObject, text) as unknown as TestResult;
  return { ...result, settings: { ...result.settings, samples: settings.samples }, samples };
}

/** Conditions that a schema cannot express, but a judgement depends on. */
function defectIn(result: TestResult): string | null {
  const { startedAt, finishedAt, target, settings } = result;
  for (const [name, text] of Object.entries({ startedAt, finishedAt })) {
    if (!Number.isFinite(Date.parse(text))) return `/${name} is not a date and time`;
  }
  // A command, or any endpoint.
  const parsed = settings.mcp === undefined ? parseTarget(target.url) : null;
  if (parsed !== null && 'problem' in parsed) return `/target/url: ${parsed.problem}`;
  if ([...settings.only, ...settings.skip].some((pattern) => pattern.length > 200))
    return '/settings: a pattern is too long';
  return contradictionIn(result) ?? listingContradictionIn(result);
}

async function contractDefectIn({ settings: { contract } }: TestResult): Promise<string | null> {
  if (contract === undefined) return null;
  const { contractProblem } = await import('../contract/contract-file.ts');
  const problem = contractProblem(contract);
  return problem === null ? null : `/settings/contract: ${problem}`;
}

/** The decision about a listing must follow from its rows, and these must be rows of the result. */
function listingContradictionIn(result: TestResult): string | null {
  const { results, listing, listingDecision, listingBasis } = result;
  const rows = results.filter(({ id }) => Object.hasOwn(LISTING_LEVELS, id));
  if (listing === undefined || listingDecision === undefined || listingBasis === undefined)
    return listing === undefined && listingDecision === undefined && listingBasis === undefined
      ? null
      : '/listing, /listingDecision and /listingBasis must all be present, or none of them';
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  if (
    outcomes.size !== listing.length ||
    listing.some(({ requirement, outcome }) => outcomes.get(requirement) !== outcome)
  )
    return '/listing does not agree with its /results';
  return listingDecision === decisionOf(listing)
    ? null
    : '/listingDecision does not follow from its /listing';
}

/** A verdict that does not follow from the rows was edited. */
function contradictionIn(result: TestResult): string | null {
  const { summary, verdict, coverage, bench } = result;
  if (bench !== undefined) return null;
  const again = concluded(result);
  if (coverage !== undefined) {
    const { listed, excluded, exercised, needed, notExercised } = coverage;
    const isWhole = exercised + notExercised.length === listed - excluded;
    if (!isWhole || needed !== again.coverage?.needed) return '/coverage contradicts itself';
  }
  if (!isDeepStrictEqual(again.summary, summary)) return '/summary does not count its /results';
  return verdict === again.verdict ? null : '/verdict does not follow from its /results';
}
