import { type GivenPolicy, parsePolicy } from './policy/policy-language.ts';
import { readSource } from './read-source.ts';

/** Reads the policy of a directory from its file; throws a SuiteError with everything that is wrong with it. */
export function readPolicy(file: string): GivenPolicy {
  return parsePolicy(readSource(file).text, file);
}
