import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { ServerFlags } from './listed-target.ts';
import type { McpTargetFlags } from './mcp-server.ts';
import type { CheckFlags } from './settings.ts';
import { hasQuery, isCommand, SpeaksMcp, type WireChoice } from './wire-choice.ts';

export interface OnTargetFlags
  extends McpTargetFlags,
    Pick<CheckFlags, 'mcpServer' | 'deciding' | 'announced' | 'directory' | 'start' | 'wait' | 'only'>,
    Pick<ServerFlags, 'server' | 'registry'> {
  /** The command or the address of a server of the Model Context Protocol. */
  readonly mcp?: string;
  /** What the target speaks; found out without it. */
  readonly wire?: WireChoice;
}

/**
 * Runs a command on its target: a server with the three endpoints, or one of the Model Context Protocol. A command in
 * quotes is of the second kind; an address is found out from its first answers, unless --wire or --mcp says it.
 */
export async function runOnTarget<Flags extends OnTargetFlags, Outcome>(
  given: string | undefined,
  flags: Flags,
  run: (url: string | undefined, flags: Flags) => Promise<Outcome>,
): Promise<Outcome> {
  // The argument is a name, whose address is found out first.
  if (flags.mcpServer !== undefined || flags.registry !== undefined) return run(given, flags);
  const onMcp = async (target: string, address: string | undefined, announced = false): Promise<Outcome> => {
    refuseOtherTargets(address, flags);
    const { mcpServer } = await import('./mcp-server.ts');
    const { address: shown, mcp } = mcpServer(target, flags);
    return run(shown, { ...ownFlags(flags, mcp), announced });
  };
  const wire = wireOf(given, flags);
  if (flags.mcp !== undefined) return onMcp(flags.mcp, given);
  if (wire === 'mcp' && given !== undefined) return onMcp(given, undefined);
  try {
    return await run(given, wire === 'rest' ? flags : { ...flags, deciding: { given } });
  } catch (error) {
    if (!(error instanceof SpeaksMcp)) throw error;
    say(`${visible(error.url)} is an endpoint of the Model Context Protocol`);
    return onMcp(error.url, undefined, true);
  }
}

/** The server is named by itself, and no longer by the flags that led to it. */
function ownFlags<Flags extends OnTargetFlags>(flags: Flags, mcpServerOptions: Flags['mcpServer']): Flags {
  const { mcp: _mcp, env: _env, ofFile: _file, wire: _wire, ...rest } = flags;
  return { ...rest, mcpServer: mcpServerOptions } as unknown as Flags;
}

function refuseOtherTargets(given: string | undefined, flags: OnTargetFlags): void {
  const other =
    given === undefined
      ? (['directory', 'server', 'start', 'wait'] as const).find((name) => flags[name] !== undefined)
      : null;
  if (other === undefined) return;
  throw new UsageError(
    other === null
      ? 'The address and --mcp name two servers: remove one of the two.'
      : `--${other} cannot be combined with ${flags.mcp === undefined ? 'a server of the Model Context Protocol, whose command is itself the target' : '--mcp, which names and starts the server'}. Remove one of the two.`,
  );
}

/** Null: the first answers of the target show it. */
function wireOf(given: string | undefined, { wire, mcp, only = [] }: OnTargetFlags): WireChoice | null {
  if (mcp !== undefined && wire === 'rest')
    throw new UsageError(
      '--mcp and --wire rest contradict each other. Remove one of the two; --wire rest goes with a base address.',
    );
  if (mcp !== undefined || given === undefined) return wire ?? null;
  const command = isCommand(given);
  if (command && wire === 'rest')
    throw new UsageError(
      `${visible(given)} is a command, and --wire rest is for a base address. Start the server with --start, and give its address.`,
    );
  // Requirements that no other server has say it too.
  const isMeant = only.length > 0 && only.every((pattern) => pattern.startsWith('mcp/'));
  return wire ?? (command || hasQuery(given) || isMeant ? 'mcp' : null);
}
