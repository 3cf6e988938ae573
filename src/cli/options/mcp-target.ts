import { UsageError } from '../../command-line/exit-codes.ts';
import { type McpTarget, remoteTarget } from '../../gateway/http-connection.ts';
import { openSession } from '../../gateway/session.ts';
import { connectProcess } from '../../gateway/stdio-connection.ts';
import { createRedactor, type Redactor } from '../../probe/redactor.ts';
import { type SubjectLaunch, startSubject } from '../../processes/subject-process.ts';
import type { Launch } from '../../processes/supervisor-messages.ts';
import { accessOfAddress, accessOfCommand, isAddress, type McpFlags, requireFolder } from './mcp-access.ts';
import { commandOf } from './wire-choice.ts';

/** A command line for a shell, a program with its arguments, or an address. */
export async function mcpTarget(
  given: Launch['command'],
  flags: McpFlags,
  onStderr: (line: string) => void,
): Promise<McpTarget> {
  const { ofFile } = flags;
  if (ofFile?.command != null) {
    const { words, env, cwd } = ofFile.command;
    requireFolder(cwd);
    return processTarget({ command: words, env, cwd, onStderr }, createRedactor(ofFile.secrets));
  }
  const [first, ...rest] = typeof given === 'string' ? [given] : given;
  if (!isAddress(first)) {
    const { env, redactor } = accessOfCommand(flags);
    const command = typeof given === 'string' ? commandOf(given) : given;
    return processTarget({ command, env, cwd: null, onStderr }, redactor);
  }
  if (rest.length > 0)
    throw new UsageError(
      'Give one address, or a command with its arguments. Options come before the address.',
    );
  return remoteTarget({ ...(await accessOfAddress(first, flags)), viaProxy: true });
}

function processTarget(started: Omit<SubjectLaunch, 'redact'>, redactor: Redactor): McpTarget {
  const launch = { ...started, redact: redactor.text };
  return {
    open: (options) => openSession(connectProcess(startSubject(launch)), options),
    redactor,
  };
}
