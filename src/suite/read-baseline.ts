import type { Baseline } from '../model/judgement.ts';
import { parseBaseline } from './config/baseline.ts';
import { loadRegistry } from './load-suites.ts';
import { readSource } from './read-source.ts';

/** Reads a baseline from its file; throws a SuiteError with everything that is wrong with it. */
export async function readBaseline(file: string): Promise<Baseline> {
  const { text } = readSource(
    file,
    file,
    'Check the path, or write the file with `probity baseline REPORT`.',
  );
  return parseBaseline(text, file, (await loadRegistry()).keys());
}
