import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { contractText, parseContract } from '../contract/contract-file.ts';
import { contractOf } from '../contract/read-contract.ts';
import { jsonOrNull, ownProperty } from '../json/json.ts';
import { requireArguments, required, textThatIs } from '../model/arguments.ts';
import { CONTRACT, type Contract } from '../model/contract.ts';
import { ExpectedError } from '../model/expected-error.ts';
import { TEST_RESULT_SCHEMA_ID, type TestResult } from '../model/report.ts';
import { readReport } from './read-report.ts';
import { prepareFolder, writeWhole } from './store-report.ts';

const FILE = { file: required(textThatIs('the name of a file')) };

/** What a file of this product holds that can be compared. */
export type ComparedFile =
  | { readonly kind: 'contract'; readonly contract: Contract }
  | { readonly kind: 'result'; readonly result: TestResult };

/**
 * Reads a contract, or the contract of the server of a saved test result.
 *
 * @throws ExpectedError, or Error, with the mistake in the file
 */
export async function readContract(file: string): Promise<Contract> {
  requireArguments('readContract', { file }, FILE);
  const text = await textOf(file);
  if (ownProperty(jsonOrNull(text), 'schema') !== TEST_RESULT_SCHEMA_ID) return parseContract(text, file);
  const contract = contractOf(await readReport(file));
  if (contract !== null) return contract;
  throw new ExpectedError(
    `${file} is a test result without the list of the functions, so it has no contract. \`probity contract TARGET -o FILE\` reads one.`,
  );
}

/** A contract, or a saved test result: whichever it is. */
export async function readCompared(file: string): Promise<ComparedFile> {
  const text = await textOf(file);
  const schema = ownProperty(jsonOrNull(text), 'schema');
  return typeof schema === 'string' && schema.includes('/schemas/contract/')
    ? { kind: 'contract', contract: parseContract(text, file) }
    : { kind: 'result', result: await readReport(file) };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    const reason = code === 'ENOENT' ? 'the file does not exist' : (code ?? String(error));
    throw new ExpectedError(`Cannot read ${file}: ${reason}.`, { cause: error });
  }
}

/**
 * Writes a contract completely or not at all, and returns the file’s path.
 *
 * @throws OptionError when the name of the file is not a string, and the error of the file system
 */
export async function writeContract(file: string, contract: Contract): Promise<string> {
  requireArguments('writeContract', { file, contract }, { ...FILE, contract: required(CONTRACT) });
  await prepareFolder(path.dirname(file));
  return writeWhole(file, [contractText(contract)]);
}
