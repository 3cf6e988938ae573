import { createDirectoryClient, type DirectoryClient } from '../../client/directory-client.ts';
import { DirectoryError } from '../../client/directory-error.ts';
import type { DirectoryClientOptions } from '../../client/options.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { withFlags } from '../../command-line/say-flags.ts';
import { say } from '../../command-line/terminal.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { DIRECTORY_VARIABLE, KEY_VARIABLE } from './default-names.ts';
import { fromEnvironment } from './given-headers.ts';

/** The flags of `search` and `check --server` for the directory and its key. */
export interface LookupFlags {
  readonly directory?: string;
  readonly directoryKeyEnv?: string;
  readonly allowInsecure?: boolean;
}

export function openDirectory(
  flags: LookupFlags,
  environment: NodeJS.ProcessEnv,
  more: Pick<DirectoryClientOptions, 'signal'> = {},
): { readonly baseUrl: string; readonly client: DirectoryClient } {
  const baseUrl = flags.directory ?? environment[DIRECTORY_VARIABLE] ?? '';
  if (baseUrl === '')
    throw new UsageError(
      `No directory. Set its base address with --directory, such as https://directory.example/v1, or in the environment variable ${DIRECTORY_VARIABLE}.`,
    );
  const client = createDirectoryClient({
    ...more,
    baseUrl,
    apiKey: keyOf(flags, environment),
    allowInsecure: flags.allowInsecure ?? false,
    onRateLimited: ({ waitMs }) =>
      say(`the directory’s rate limit is used up: waiting ${Math.ceil(waitMs / 1000)} s`),
  });
  return { baseUrl, client };
}

function keyOf({ directoryKeyEnv }: LookupFlags, environment: NodeJS.ProcessEnv): string {
  if (directoryKeyEnv === undefined && (environment[KEY_VARIABLE] ?? '') === '')
    throw new UsageError(
      `A directory requires an API key. Put the key into the environment variable ${KEY_VARIABLE}, or name another one with --directory-key-env.`,
    );
  return fromEnvironment(directoryKeyEnv ?? KEY_VARIABLE, environment, '--directory-key-env');
}

/** Prints why a directory returned nothing, sets the exit code, and returns null. */
export function reportNoAnswer(error: unknown): null {
  if (!(error instanceof DirectoryError)) throw error;
  say(withFlags(error.message));
  process.exitCode = exitCodeOf(error);
  return null;
}

const OWN_MISTAKES: ReadonlySet<string> = new Set(['bad-base-url', 'bad-key', 'insecure', 'bad-argument']);

/** Errors that the user can fix are usage errors; all others are failures of the directory. */
function exitCodeOf({ code, status }: DirectoryError): number {
  if (code === 'interrupted') return EXIT.incomplete;
  const refused = status !== null && status >= 400 && status < 500 && status !== TOO_MANY_REQUESTS;
  return refused || OWN_MISTAKES.has(code) ? EXIT.usage : EXIT.unreachable;
}
