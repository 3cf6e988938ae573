import { readFile } from 'node:fs/promises';
import { validateTestResult } from '../generated/test-result.js';
import type { TestResult } from '../model/report.ts';

/** Reads a saved test result; throws an Error that says what is wrong with the file. */
export async function readReport(file: string): Promise<TestResult> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    throw new Error(
      `Cannot read ${file}: ${code === 'ENOENT' ? 'there is no such file' : (code ?? String(error))}.`,
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
  if (validateTestResult(value)) return value as TestResult;
  const [error] = validateTestResult.errors ?? [];
  const where = error?.instancePath === '' ? 'the document' : error?.instancePath;
  throw new Error(
    `${file} is not a test result of this version: ${where} ${error?.message}. See schemas/test-result.schema.json.`,
  );
}
