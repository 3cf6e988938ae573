import { existsSync } from 'node:fs';
import type { ServerCommand } from '../../client-configs/named-server.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { type McpTarget, remoteTarget } from '../../mcp/remote-target.ts';
import { openSession } from '../../mcp/session.ts';
import { connectProcess } from '../../mcp/stdio-connection.ts';
import type { Secret } from '../../model/secret.ts';
import { createRedactor, type Redactor } from '../../probe/redactor.ts';
import { type SubjectLaunch, startSubject } from '../../processes/subject-process.ts';
import type { Launch } from '../../processes/supervisor-messages.ts';
import { accessOfAddress, accessOfCommand, isAddress, type McpFlags } from './mcp-access.ts';
import { commandOf } from './wire-choice.ts';

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
  if (!isAddress(first))
    return commandTarget(typeof given === 'string' ? commandOf(given) : given, flags, onStderr);
  if (rest.length > 0)
    throw new UsageError(
      'Give one address, or a command with its arguments. Options come before the address.',
    );
  return remoteTarget({ ...(await accessOfAddress(first, flags)), viaProxy: true });
}

export function commandTarget(
  command: Launch['command'],
  flags: McpFlags,
  onStderr: (line: string) => void,
): McpTarget {
  const { env, redactor } = accessOfCommand(flags);
  return processTarget({ command, env, cwd: null, onStderr }, redactor);
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
  return processTarget({ command: words, env, cwd, onStderr }, createRedactor(secrets));
}

function processTarget(started: Omit<SubjectLaunch, 'redact'>, redactor: Redactor): McpTarget {
  const launch = { ...started, redact: redactor.text };
  return {
    open: (options) => openSession(connectProcess(startSubject(launch)), options),
    redactor,
  };
}
