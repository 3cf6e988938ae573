import { existsSync } from 'node:fs';
import type { McpOptions } from '../../app/mcp-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { shorten } from '../../model/json.ts';
import type { Secret } from '../../model/secret.ts';
import { visible } from '../../model/visible.ts';
import { createRedactor } from '../../probe/redactor.ts';
import type { Launch } from '../../processes/supervisor-messages.ts';
import { accessOfCommand, isAddress, type McpFlags } from './mcp-access.ts';
import { commandOf, isCommand } from './wire-choice.ts';

export interface McpTargetFlags extends McpFlags {
  readonly era?: McpOptions['era'];
  readonly startTimeout?: number;
}

/** A server of the Model Context Protocol as a target: its address, or the command without secrets. */
export interface NamedMcpServer {
  readonly address: string;
  readonly mcp: McpOptions;
}

/** What the flags say of a server: a command in quotes, an address, or a server of a client's configuration. */
export function mcpServer(target: string, flags: McpTargetFlags): NamedMcpServer {
  const { ofFile, era, startTimeout } = flags;
  const common = {
    ...(era === undefined ? {} : { era }),
    ...(startTimeout === undefined ? {} : { startTimeoutMs: startTimeout * 1000 }),
    ...(ofFile === undefined ? {} : { from: ofFile.file, secrets: ofFile.secrets }),
  };
  if (ofFile?.command != null) {
    const { words, env, cwd } = ofFile.command;
    if (!existsSync(cwd))
      throw new UsageError(
        `The working folder ${cwd} of the server does not exist. Create it, or change its cwd.`,
      );
    return { address: shown(target, ofFile.secrets), mcp: { ...common, command: words, env, cwd } };
  }
  if (isAddress(target)) {
    if (flags.env !== undefined)
      throw new UsageError(
        '--env applies only to a command. A remote server gets its settings with --header.',
      );
    return { address: target, mcp: common };
  }
  if (!isCommand(target))
    throw new UsageError(
      `${visible(shorten(target))} is neither an address nor a command. Write an address with http:// or https://, and a command as you would in a shell, such as "node server.js".`,
    );
  const { env, redactor } = accessOfCommand(flags);
  const command: Launch['command'] = commandOf(target);
  return { address: redactor.text(target), mcp: { ...common, command, env } };
}

function shown(target: string, secrets: readonly Secret[]): string {
  return createRedactor(secrets).text(target);
}
