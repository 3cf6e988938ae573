import type { McpOptions } from '../../check/mcp-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { accessOfCommand, isAddress, type McpFlags, requireFolder } from './mcp-access.ts';
import { requireCommand } from './wire-choice.ts';

export interface McpTargetFlags extends McpFlags {
  readonly era?: McpOptions['era'];
  readonly startTimeout?: number;
}

/**
 * What the flags say of a server: a command in quotes, an address, or a server of a client's configuration. The address is
 * the command without secrets.
 */
export function mcpServer(
  target: string,
  flags: McpTargetFlags,
): { readonly address: string; readonly mcp: McpOptions } {
  const { ofFile, era, startTimeout } = flags;
  const common = {
    era,
    startTimeoutMs: startTimeout && startTimeout * 1000,
    from: ofFile?.file,
    secrets: ofFile?.secrets,
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
