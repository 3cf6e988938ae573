import { validateContract } from '../generated/contract.js';
import { isFiniteWithin, type Json, jsonText, MAX_JSON_DEPTH, ownProperty, showJson } from '../json/json.ts';
import { escapeLive } from '../json/visible.ts';
import { CONTRACT_SCHEMA_ID, type Contract } from '../model/contract.ts';
import { ExpectedError } from '../model/expected-error.ts';
import { sortedContract } from './sorted-contract.ts';

/** The definitions of a thousand large tools have 5 MB. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** A contract as the text of its file: the same bytes for the same contract, with hidden
 * characters as escapes. Pure. */
export function contractText(contract: Contract): string {
  return escapeLive(`${JSON.stringify(sortedContract(contract), null, 2)}\n`);
}

/**
 * The contract in the text of a file; `name` is used in errors. Pure.
 *
 * @throws ExpectedError with the mistake, its place and the remedy
 */
export function parseContract(text: string, name: string): Contract {
  if (text.length > MAX_CHARACTERS)
    throw new ExpectedError(
      `${name} is longer than ${MAX_CHARACTERS / 1024 / 1024} MiB: no contract is. ${REMEDY}`,
    );
  let value: Json;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExpectedError(`${name} is not JSON: ${reason}. ${REMEDY}`, { cause: error });
  }
  const schema = ownProperty(value, 'schema');
  if (schema !== CONTRACT_SCHEMA_ID) throw new ExpectedError(`${name} ${otherKind(schema)} ${REMEDY}`);
  if (!isFiniteWithin(value, MAX_JSON_DEPTH))
    throw new ExpectedError(
      `${name} is nested more than ${MAX_JSON_DEPTH} levels deep, or has a number that no double can hold. ${REMEDY}`,
    );
  const problem = contractProblem(value);
  if (problem !== null) throw new ExpectedError(`${name} is not a contract: ${problem}. ${REMEDY}`);
  return sortedContract(value as unknown as Contract);
}

const REMEDY = '`probity contract TARGET -o FILE` writes one.';

function otherKind(schema: Json | undefined): string {
  if (schema === undefined) return 'has no member "schema", so it is not a contract.';
  const isNewer = typeof schema === 'string' && schema.includes('/contract/');
  return isNewer
    ? `is a contract of another version of Probity (${jsonText(schema)}, not ${CONTRACT_SCHEMA_ID}).`
    : `is not a contract: its "schema" is ${showJson(schema)}.`;
}

/** What keeps a value from being a contract; null if it is one. */
export function contractProblem(value: unknown): string | null {
  if (validateContract(value)) return null;
  const [error] = validateContract.errors ?? [];
  const where = error?.instancePath === '' ? 'the document' : error?.instancePath;
  const extra = error?.params?.additionalProperty;
  return `${where} ${error?.message}${typeof extra === 'string' ? ` (${JSON.stringify(extra)})` : ''}`;
}
