import { UsageError } from '../../command-line/exit-codes.ts';
import { targetsFrom } from './configured-targets.ts';
import type { McpFlags } from './mcp-access.ts';

/** A server by its name in a file: the target, and the flags with what the file says that it needs. */
export async function serverOfFile<Flags extends McpFlags>(
  file: string,
  name: string,
  flags: Flags,
): Promise<{ readonly target: string; readonly flags: Flags }> {
  if (flags.env !== undefined)
    throw new UsageError('--env and --from both say what the server gets: remove one of the two.');
  const [server, other] = (await targetsFrom(file, undefined, { ...flags, target: [name] })).targets;
  if (server === undefined || other !== undefined)
    throw new UsageError(`${name} stands for several servers of ${file}. Give the name of one.`);
  const { mcp: target, header, ofFile, missing = [] } = server;
  if (target === undefined)
    throw new UsageError(`${name} has no value for ${missing.join(', ')}. Set it in the environment.`);
  // The configuration of this folder describes another server, and may have its keys.
  const own = { ...flags, configured: server, ofFile };
  return { target, flags: header === undefined ? own : { ...own, header } };
}
