import { createRedactor } from '../../probe/redactor.ts';
import { openHttp } from '../../run/conversations/open-http.ts';
import { openProcess } from '../../run/conversations/open-process.ts';
import type { Opening, OpeningSettings } from '../../run/conversations/opened.ts';
import { accessOfAddress, accessOfCommand, isAddress, type McpFlags } from './mcp-access.ts';
import { requireCommand } from './wire-choice.ts';

export interface ConversationFlags extends McpFlags {
  /** A client's configuration or a server.json, in which the target is the name of a server. */
  readonly from?: string;
}

/** Opens a conversation with a command, an address, or a server of a file; `acceptsValues`: --env may be NAME=VALUE. */
export async function openConversation(
  target: string,
  flags: ConversationFlags,
  settings: Omit<OpeningSettings, 'redactor'>,
  acceptsValues = false,
): Promise<Opening> {
  const { from, ofFile } = flags;
  if (from !== undefined && ofFile === undefined) {
    const server = await (await import('./server-of-file.ts')).serverOfFile(from, target, flags);
    return openConversation(server.target, server.flags, settings);
  }
  if (ofFile?.command != null) {
    const { words, env, cwd } = ofFile.command;
    return openProcess({ ...settings, command: words, env, cwd, redactor: createRedactor(ofFile.secrets) });
  }
  if (isAddress(target)) {
    const access = await accessOfAddress(target, flags);
    return openHttp({ ...settings, ...access, redactor: createRedactor(access.secrets) });
  }
  const command = requireCommand(target);
  return openProcess({ ...settings, ...accessOfCommand(flags, acceptsValues), command, cwd: null });
}
