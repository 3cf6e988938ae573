import { UsageError } from '../../command-line/exit-codes.ts';
import { shorten } from '../../model/json.ts';
import { visible } from '../../model/visible.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { openHttp } from '../../run/conversations/open-http.ts';
import { openProcess } from '../../run/conversations/open-process.ts';
import type { Opening, OpeningSettings } from '../../run/conversations/opened.ts';
import { accessOfAddress, accessOfCommand, isAddress, type McpFlags } from './mcp-access.ts';
import { commandOf, isCommand } from './wire-choice.ts';

/** Opens a conversation with a command, an address, or a server of a file; `acceptsValues`: --env may be NAME=VALUE. */
export async function openConversation(
  target: string,
  flags: McpFlags,
  settings: Omit<OpeningSettings, 'redactor'>,
  acceptsValues = false,
): Promise<Opening> {
  const { ofFile } = flags;
  if (ofFile?.command != null) {
    const { words, env, cwd } = ofFile.command;
    return openProcess({ ...settings, command: words, env, cwd, redactor: createRedactor(ofFile.secrets) });
  }
  if (isAddress(target)) {
    const access = await accessOfAddress(target, flags);
    return openHttp({ ...settings, ...access, redactor: createRedactor(access.secrets) });
  }
  if (!isCommand(target))
    throw new UsageError(
      `${visible(shorten(target))} is neither an address nor a command. Write an address with http:// or https://, and a command as you would in a shell, such as "node server.js".`,
    );
  return openProcess({
    ...settings,
    ...accessOfCommand(flags, acceptsValues),
    command: commandOf(target),
    cwd: null,
  });
}
