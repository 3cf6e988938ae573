import { type Command, CommanderError } from 'commander';
import { ExpectedError } from '../model/expected-error.ts';
import { visibleLines } from '../model/visible.ts';
import { withFlags } from './options/say-flags.ts';
import { EXIT, UsageError } from './terminal/exit-codes.ts';

export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** Node would end with the code of a server that breaks its contract. */
export function endBecauseOf(error: unknown): never {
  process.exit(report(error));
}

/** Whoever reads the output may stop early, as `head` does; that is no failure. */
export function endUnlessUnread(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  endBecauseOf(
    new UsageError(
      `What there is to print cannot be written: ${error.code ?? error.message}. Is the disk full to which it goes?`,
    ),
  );
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.pass : EXIT.usage;
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
