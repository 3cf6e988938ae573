import type { McpOptions } from '../../check/mcp-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { accessOfCommand, isAddress, type McpFlags, requireFolder } from './mcp-access.ts';
import { requireCommand } from './wire-choice.ts';

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
    requireFolder(cwd);
    return {
      address: createRedactor(ofFile.secrets).text(target),
      mcp: { ...common, command: words, env, cwd },
    };
  }
  if (isAddress(target)) {
    if (flags.env !== undefined)
      throw new UsageError(
        '--env applies only to a command. A remote server gets its settings with --header.',
      );
    return { address: target, mcp: common };
  }
  const command = requireCommand(target);
  const { env, redactor } = accessOfCommand(flags);
  return { address: redactor.text(target), mcp: { ...common, command, env } };
}
