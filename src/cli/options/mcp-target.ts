import { existsSync } from 'node:fs';
import { authoritiesOf, givenHeaders } from '../../app/run-settings.ts';
import type { ServerCommand } from '../../client-configs/named-server.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { openProcessChannel } from '../../mcp/process-channel.ts';
import { type McpTarget, remoteTarget } from '../../mcp/remote-target.ts';
import { openSession } from '../../mcp/session.ts';
import { connectProcess } from '../../mcp/stdio-connection.ts';
import { parseUrl } from '../../model/parse-url.ts';
import { refuseUrl } from '../../probe/address-guard.ts';
import { createRedactor, type Secret } from '../../probe/redactor.ts';
import { type SubjectLaunch, startSubject } from '../../processes/subject-process.ts';
import type { Launch } from '../../processes/supervisor-messages.ts';
import { type CheckFlags, fromEnvironment, readSettings } from './settings.ts';

export interface McpFlags
  extends Pick<CheckFlags, 'config' | 'configured' | 'header' | 'bearerEnv' | 'ca' | 'publicOnly'> {
  /** Names of environment variables for the command. */
  readonly env?: readonly string[];
  /** The server of a file that is checked. */
  readonly ofFile?: ServerOfFile | undefined;
}

/** A server that a client's configuration names, with the values that must not be shown. */
export interface ServerOfFile {
  readonly file: string;
  readonly secrets: readonly Secret[];
  /** Null for an address. */
  readonly command: ServerCommand | null;
}

/** A command line for a shell, a program with its arguments, or an address. */
export async function mcpTarget(
  given: Launch['command'],
  flags: McpFlags,
  onStderr: (line: string) => void,
): Promise<McpTarget> {
  const { ofFile } = flags;
  if (ofFile !== undefined && ofFile.command !== null)
    return commandOfFile(ofFile.command, ofFile.secrets, onStderr);
  const [first, ...rest] = typeof given === 'string' ? [given] : given;
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(first) ?? [];
  if (scheme === undefined) return commandTarget(given, flags, onStderr);
  if (!/^https?$/i.test(scheme))
    throw new UsageError(`${scheme}:// is not the scheme of an MCP server. Use http:// or https://.`);
  if (rest.length > 0)
    throw new UsageError(
      'Give one address, or a command with its arguments. Options come before the address.',
    );
  return addressTarget(first, flags);
}

export function commandTarget(
  command: Launch['command'],
  flags: McpFlags,
  onStderr: (line: string) => void,
): McpTarget {
  for (const name of ['header', 'bearerEnv', 'ca', 'publicOnly'] as const)
    if (flags[name] !== undefined)
      throw new UsageError(
        `--${FLAG_OF[name]} applies only to an address. A command gets its settings as arguments, or with --env NAME.`,
      );
  const envNames = flags.env ?? [];
  const values = envNames.map((name) => [name, fromEnvironment(name, process.env, '--env')] as const);
  const secrets = values.flatMap(([variable, value]) =>
    // A server may print a value of several lines line by line.
    [...new Set([value, ...value.split(/\r?\n/)])].map((part) => ({ value: part, variable })),
  );
  return processTarget({ command, env: Object.fromEntries(values), cwd: null, onStderr }, secrets);
}

function commandOfFile(
  { words, env, cwd }: ServerCommand,
  secrets: readonly Secret[],
  onStderr: (line: string) => void,
): McpTarget {
  if (!existsSync(cwd))
    throw new UsageError(
      `The working folder ${cwd} of the server does not exist. Create it, or change its cwd.`,
    );
  return processTarget({ command: words, env, cwd, onStderr }, secrets);
}

function processTarget(started: Omit<SubjectLaunch, 'redact'>, secrets: readonly Secret[]): McpTarget {
  const redactor = createRedactor(secrets);
  const launch = { ...started, redact: redactor.text };
  return {
    open: (options) => openSession(connectProcess(startSubject(launch)), options),
    channels: {
      transport: 'stdio',
      open: (listener) => openProcessChannel(startSubject(launch), listener),
    },
    redactor,
  };
}

const FLAG_OF = { header: 'header', bearerEnv: 'bearer-env', ca: 'ca', publicOnly: 'public-only' } as const;

async function addressTarget(address: string, flags: McpFlags): Promise<McpTarget> {
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
  return remoteTarget({
    url: url.href,
    headers,
    secrets: [...secrets, ...(flags.ofFile?.secrets ?? [])],
    publicOnly: options.publicOnly ?? false,
    ca: authoritiesOf(options),
    viaProxy: true,
  });
}
