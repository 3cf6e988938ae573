import { ExpectedError } from '../model/expected-error.ts';
import { visibleLines } from '../model/visible.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { withFlags } from './say-flags.ts';

interface Program {
  parseAsync(argv: string[]): Promise<unknown>;
}

/**
 * Runs a command line in this process: prints what is wrong on standard error, and sets the exit code.
 *
 * @param program of commander, any copy of it
 */
export async function runCommandLine(program: Program, argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', endUnlessUnread);
  // One command line may run another, whose errors are of other classes where it is another package.
  process.removeAllListeners('uncaughtException').on('uncaughtException', endBecauseOf);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** Node would end with the code of a server that breaks its contract. */
function endBecauseOf(error: unknown): never {
  process.exit(report(error));
}

/** Whoever reads the output may stop early, as `head` does; that is no failure. */
function endUnlessUnread(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  endBecauseOf(
    new UsageError(
      `What there is to print cannot be written: ${error.code ?? error.message}. Is the disk full to which it goes?`,
    ),
  );
}

function report(error: unknown): number {
  if (isOfCommander(error)) return error.exitCode === 0 ? EXIT.pass : EXIT.usage;
  if (error instanceof ExpectedError) {
    process.stderr.write(`${visibleLines(withFlags(error.message))}\n`);
    return EXIT.usage;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `This is a fault of probity, not of your server. Please report it with the lines below.\n${detail}\n`,
  );
  return EXIT.harness;
}

/** Commander has printed what is wrong by itself. */
function isOfCommander(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}
