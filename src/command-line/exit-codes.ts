import { ExpectedError } from '../model/expected-error.ts';
import type { TestResult } from '../model/report.ts';

export const EXIT = { pass: 0, fail: 1, usage: 2, unreachable: 3, incomplete: 4, harness: 70 } as const;

export function exitCodeFor({ reachable, verdict }: Pick<TestResult, 'reachable' | 'verdict'>): number {
  return reachable ? EXIT[verdict] : EXIT.unreachable;
}

/** Several targets: a fault of the harness hides everything, a mistake of the user some of it, a failure is certain. */
const { harness, usage, fail, unreachable, incomplete } = EXIT;
const WORST_FIRST: readonly number[] = [harness, usage, fail, unreachable, incomplete];

export function worstExitCode(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.pass;
}

/** A mistake in the user's input; printed without a stack. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';
}

/** The error of a failed listen, for a user who chose the host and the port. Pure. */
export function listenError(
  error: unknown,
  { host, port, option = '--port' }: Readonly<{ host: string; port: number; option?: string }>,
): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${port} on ${host} is in use. Choose another with ${option}, or a free one with ${option} 0.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES')
    return new UsageError(`Cannot listen on ${host}:${port}: ${code}.`);
  return error;
}
