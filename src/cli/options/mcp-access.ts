import { existsSync } from 'node:fs';
import { givenHeaders } from '../../check/request-headers.ts';
import { authoritiesOf } from '../../check/run-settings.ts';
import type { ServerCommand } from '../../client-configs/named-server.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { shorten } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import type { Secret } from '../../model/probe.ts';
import { refuseUrl } from '../../probe/address-guard.ts';
import { createRedactor, secretsIn, secretsInQuery } from '../../probe/redactor.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { fromEnvironment } from './given-headers.ts';
import { type CheckFlags, readSettings } from './settings.ts';

export interface McpFlags
  extends Pick<CheckFlags, 'config' | 'configured' | 'header' | 'bearerEnv' | 'ca' | 'publicOnly'> {
  /** Environment variables for the command: `NAME`, or `NAME=VALUE` where values are accepted. */
  readonly env?: readonly string[];
  /** The server of a file that is checked. */
  readonly ofFile?: ServerOfFile | undefined;
}

/** A server that a client's configuration names, with the values that must not be shown. */
interface ServerOfFile {
  readonly file: string;
  readonly secrets: readonly Secret[];
  /** Null for an address. */
  readonly command: ServerCommand | null;
}

export function requireFolder(cwd: string): void {
  if (existsSync(cwd)) return;
  throw new UsageError(
    `The working folder ${cwd} of the server does not exist. Create it, or change its cwd.`,
  );
}

/** Whether a target is an address and not a command. Refuses addresses that are not of a web server. */
export function isAddress(target: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(target) ?? [];
  // A mistyped address must never reach a shell.
  if (scheme === undefined && /^https?\b\s*[:/\\]/i.test(target))
    throw new UsageError(`${visible(shorten(target))} is not an address: write it with http:// or https://.`);
  if (scheme === undefined) return false;
  if (/^https?$/i.test(scheme)) return true;
  throw new UsageError(`${scheme}:// is not the scheme of an MCP server. Use http:// or https://.`);
}

const OF_ADDRESSES = {
  header: 'header',
  bearerEnv: 'bearer-env',
  ca: 'ca',
  publicOnly: 'public-only',
} as const;

/** What a command gets from its environment. `NAME=VALUE` is refused where a value would reach a report. */
export function accessOfCommand(flags: McpFlags, acceptsValues = false) {
  for (const [name, written] of Object.entries(OF_ADDRESSES) as [keyof typeof OF_ADDRESSES, string][])
    if (flags[name] !== undefined)
      throw new UsageError(
        `--${written} applies only to an address. A command gets its settings as arguments, or with --env NAME.`,
      );
  const env = Object.fromEntries(
    (flags.env ?? []).map((line): [string, string] => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(line) ?? [];
      return acceptsValues && name !== undefined && value !== undefined
        ? [name, value]
        : [line, fromEnvironment(line, process.env, '--env')];
    }),
  );
  const redactor = createRedactor(
    Object.entries(env).flatMap(([variable, value]) => secretsIn(value, variable)),
  );
  return { env, redactor };
}

export async function accessOfAddress(address: string, flags: McpFlags) {
  if (flags.env !== undefined)
    throw new UsageError('--env applies only to a command. A remote server gets its settings with --header.');
  const url = parseUrl(address);
  if (url === null || url.username !== '' || url.password !== '')
    throw new UsageError(
      'The address is not a URL without a user and a password. Write it as https://example.com/mcp, and send a password with --header.',
    );
  url.hash = '';
  const { options } = await readSettings(flags, process.env);
  const refusal = options.publicOnly === true ? refuseUrl(url) : null;
  if (refusal !== null) throw new UsageError(`${refusal}. Use a public address, or remove --public-only.`);
  const { headers, secrets } = givenHeaders(options);
  return {
    url: url.href,
    headers,
    secrets: [...secrets, ...secretsInQuery(url.href), ...(flags.ofFile?.secrets ?? [])],
    publicOnly: options.publicOnly ?? false,
    ca: authoritiesOf(options),
  };
}
