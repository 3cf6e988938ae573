import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../model/visible.ts';
import type { BridgedFlags } from './through-bridge.ts';
import { hasQuery, isCommand, SpeaksMcp, type WireChoice } from './wire-choice.ts';

/**
 * Runs a command on its target: a server with the three endpoints, or a bridge to one of the Model Context Protocol. A
 * command in quotes is of the second kind; an address is found out from its first answers, unless --wire or --mcp says
 * it. The client of the protocol is loaded only for a bridge. Undefined if the server behind the bridge could not be
 * started; the reason was printed. With `messages`, a server that answers, but with which no session can be opened, is
 * judged by its messages alone.
 */
export async function runOnTarget<Flags extends BridgedFlags, Outcome>(
  given: string | undefined,
  flags: Flags,
  run: (url: string | undefined, flags: Flags) => Promise<Outcome>,
  judges: 'messages' | null = null,
): Promise<Outcome | undefined> {
  // A bridge is a server with the three endpoints.
  if (flags.bridged !== undefined) return run(given, flags);
  const onBridge = async (mcp: string, address: string | undefined): Promise<Outcome | undefined> => {
    const { throughBridge } = await import('./through-bridge.ts');
    return throughBridge(mcp, address, flags, run, judges);
  };
  const wire = wireOf(given, flags);
  if (flags.mcp !== undefined) return onBridge(flags.mcp, given);
  if (wire === 'mcp' && given !== undefined) return onBridge(given, undefined);
  try {
    return await run(given, wire === 'rest' ? flags : { ...flags, deciding: { given } });
  } catch (error) {
    if (!(error instanceof SpeaksMcp)) throw error;
    say(`${visible(error.url)} is an endpoint of the Model Context Protocol`);
    return onBridge(error.url, undefined);
  }
}

/** Null: the first answers of the target show it. */
function wireOf(given: string | undefined, { wire, mcp }: BridgedFlags): WireChoice | null {
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
  return wire ?? (command || hasQuery(given) ? 'mcp' : null);
}
