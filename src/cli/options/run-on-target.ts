import type { BridgedFlags } from './through-bridge.ts';

/**
 * Runs a command on the target that is given, or with --mcp on a bridge. Only then the client of the protocol is
 * loaded. Undefined if the server behind the bridge could not be started; the reason was printed. With `messages`, a
 * server that answers, but with which no session can be opened, is judged by its messages alone.
 */
export async function runOnTarget<Flags extends BridgedFlags, Outcome>(
  given: string | undefined,
  flags: Flags,
  run: (url: string | undefined, flags: Flags) => Promise<Outcome>,
  judges: 'messages' | null = null,
): Promise<Outcome | undefined> {
  const { mcp } = flags;
  if (mcp === undefined) return run(given, flags);
  const { throughBridge } = await import('./through-bridge.ts');
  return throughBridge(mcp, given, flags, run, judges);
}
