import { UsageError } from '../../command-line/exit-codes.ts';

/** Runs the command line of the directory's package. */
export async function directory(args: readonly string[]): Promise<void> {
  const { runDirectory } = await import('probity-directory').catch((error: unknown) => {
    throw isMissing(error)
      ? new UsageError('The directory is a separate package. Install it with: npm install probity-directory')
      : error;
  });
  await runDirectory(args, 'probity directory');
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes("'probity-directory'")
  );
}
