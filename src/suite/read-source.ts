import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { SuiteSource } from './language/parse-suites.ts';
import { type Diagnostic, SuiteError } from './yaml/diagnostic.ts';
import { MAX_FILE_BYTES } from './yaml/tree.ts';

/** Reads a text file as UTF-8; a read error is a diagnostic like any other. */
export function readSource(file: string, shown = file, remedy = 'Check the path.'): SuiteSource {
  const refuse = (code: Diagnostic['code'], message: string, suggestion: string): never => {
    const place = { line: 1, column: 1, length: 1 };
    throw new SuiteError([{ code, file: shown, place, message, suggestion }], new Map());
  };
  let bytes: Buffer;
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE_BYTES) {
      refuse(
        'file-too-large',
        `the file has ${size} bytes, more than ${MAX_FILE_BYTES}`,
        'Split it into several files.',
      );
    }
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof SuiteError) throw error;
    return refuse('unreadable-file', `cannot read the file: ${reasonOf(error)}`, remedy);
  }
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    refuse('not-utf8', 'the file is not valid UTF-8', 'Save it as UTF-8.');
  }
  return { file: shown, text, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: string };
  if (code === 'ENOENT') return 'the file does not exist';
  return code === 'EISDIR' ? 'it is a folder' : String(code ?? error);
}
