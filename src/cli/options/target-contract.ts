import type { CheckOptions } from '../../check/check-options.ts';
import { checkServer } from '../../check/threads/check-server.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { say, sayProxyUnused } from '../../command-line/terminal.ts';
import { contractOf } from '../../contract/read-contract.ts';
import { visible } from '../../json/visible.ts';
import { CONTRACT_SCHEMA_ID, type Contract } from '../../model/contract.ts';
import type { TestResult } from '../../model/report.ts';
import { readContract } from '../../report/read-contract.ts';
import { interruptible } from '../process/interruptible.ts';
import { chosenTarget } from './chosen-target.ts';
import { type OnTargetFlags, runOnTarget } from './run-on-target.ts';
import { type CheckFlags, readSettings } from './settings.ts';

/** The name of a file, and neither an address nor a command. */
const SAVED = /^(?![a-z]+:\/\/)\S*\.json$/i;

/** The only row that needs every list and calls nothing. */
const READING = ['contract/unbroken'];

/** What the lists are compared with, where nobody looks at the outcome. */
const NOTHING: Contract = {
  schema: CONTRACT_SCHEMA_ID,
  wire: 'mcp',
  server: {},
  functions: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  unread: [],
};

/**
 * What a server offers, or the server of a saved report or contract. Null: it could not be read; why was said, and the
 * exit code is set. Nothing is called.
 */
export async function contractOfTarget(
  given: string | undefined,
  flags: CheckFlags & OnTargetFlags,
): Promise<Contract | null> {
  if (given !== undefined && SAVED.test(given)) return savedContract(given);
  const interrupt = interruptible('nothing is written; ctrl-C again to stop at once');
  const result = await runOnTarget(given, flags, (url, own) => listed(url, own, interrupt.signal)).finally(
    interrupt.done,
  );
  if (!result.reachable) {
    sayProxyUnused(result.target.url);
    say(`${visible(result.target.url)} does not answer: ${reasonIn(result)}`);
    process.exitCode = EXIT.unreachable;
    return null;
  }
  const found = contractOf(result);
  if (found === null) {
    say(`The list of the functions was not read: ${reasonIn(result)}`);
    process.exitCode = EXIT.incomplete;
  }
  return found;
}

async function listed(
  given: string | undefined,
  flags: CheckFlags,
  signal: AbortSignal,
): Promise<TestResult> {
  const { url, options: ofTarget } = chosenTarget(given, { ...flags, listing: undefined });
  const { options } = await readSettings(flags, process.env);
  return readLists(url, { ...options, ...ofTarget, signal });
}

/** Reads what a server offers, and calls nothing. */
export function readLists(url: string, options: CheckOptions): Promise<TestResult> {
  return checkServer(url, { ...options, only: READING, skip: [], contract: NOTHING });
}

/** Why a server could not be read. */
export function reasonIn({ exchanges, findings }: TestResult): string {
  for (const exchange of exchanges)
    if (exchange.kind === 'unanswered') return visible(exchange.reason.message);
  return visible(findings[0]?.message ?? 'no answer lists them');
}

async function savedContract(file: string): Promise<Contract> {
  return readContract(file).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  });
}
