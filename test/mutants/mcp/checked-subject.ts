import type { CheckOptions } from '../../../src/check/check-options.ts';
import type { FirstFailure } from '../../../src/judge/first-failure.ts';
import type { TestResult } from '../../../src/model/report.ts';
import type { Channel } from '../../../src/model/wire.ts';
import { checkHere } from '../../check/check-here.ts';
import { type HttpSubjectOptions, startHttpSubject } from '../../mcp/http-subject.ts';
import { type PipedSubjectOptions, startPipedSubject } from '../../mcp/piped-subject.ts';
import { expectTold } from '../expect-told.ts';

export type PlainSubject = HttpSubjectOptions & PipedSubjectOptions;

/** What a check may be given for a plain server. */
export type SubjectChecks = Pick<
  CheckOptions,
  'samples' | 'answers' | 'bearerToken' | 'bearerTokens' | 'latency'
>;

/** Few inputs are enough: the mutants answer all of them wrongly. */
const EXPLORING = { valid: 2, invalid: 2, again: 1, pairs: 0, sequences: 0, smaller: 0 };

/** Checks a plain server over one channel, with every row that holds for it. */
export async function checkSubject(
  channel: Channel,
  subject: PlainSubject,
  options: SubjectChecks = {},
): Promise<TestResult> {
  if (channel === 'http') {
    const { url, close } = await startHttpSubject(subject);
    return check(url, { ...options, mcp: {} }).finally(close);
  }
  const { command, close } = await startPipedSubject(subject);
  return check('node subject.js', { ...options, mcp: { command } }).finally(close);
}

/** Checks a server that is reached at this address already. */
export function checkSubjectAt(url: string): Promise<TestResult> {
  return check(url, { mcp: {} });
}

async function check(address: string, options: CheckOptions): Promise<TestResult> {
  const told: FirstFailure[] = [];
  const result = await checkHere(
    address,
    {
      seed: 20_260_101,
      latency: { off: true },
      exploring: EXPLORING,
      // More than an answer takes, and short enough for the servers that do not answer.
      requestTimeoutMs: 5000,
      deadlineMs: 600_000,
      ...options,
    },
    { signal: new AbortController().signal, onFailure: (failure) => void told.push(failure) },
  );
  expectTold(told, result);
  return result;
}
