import path from 'node:path';
import { clientServers, placesWords, type ReadEnvFile } from './client-config.ts';
import { JsonFile } from './json-file.ts';
import type { NamedServer } from './named-server.ts';
import type { Surroundings } from './placeholders.ts';
import { registryServers } from './registry-server.ts';

/**
 * The servers that a file names: a client's configuration (mcp.json, claude_desktop_config.json, settings.json and their
 * relatives), or a server.json of the registry. The text is parsed as editors write it (json-file.ts), the shape is
 * recognised (client-config.ts, registry-server.ts), and the placeholders of each server are replaced (placeholders.ts).
 * What a server then needs is complete, or the server is one that cannot be started, with the reason. Pure.
 *
 * @throws SuiteError for what is no such file
 */
export function readServers(
  { file, text }: { readonly file: string; readonly text: string },
  surroundings: Pick<Surroundings, 'environment' | 'home'>,
  readEnvFile: ReadEnvFile,
): readonly NamedServer[] {
  const json = new JsonFile(file, text);
  const around = { ...surroundings, workspace: workspaceOf(file), inputs: new Map<string, string | null>() };
  const inFolder: ReadEnvFile = (name) => readEnvFile(path.resolve(around.workspace, name));
  const servers = clientServers(json, around, inFolder) ?? registryServers(json, around);
  if (servers === null)
    throw json.wrong(
      json.root,
      'the file names no servers of the Model Context Protocol',
      `A client's configuration has them under ${placesWords()}; a server.json has packages or remotes.`,
      'unknown-document',
    );
  if (servers.length === 0)
    throw json.wrong(json.root, 'the file names no server', 'Add one, or use another file.', 'missing-key');
  return withOwnNames(servers);
}

/** Clients keep the configuration of a project in a folder such as .vscode or .cursor. */
function workspaceOf(file: string): string {
  const folder = path.dirname(path.resolve(file));
  return path.basename(folder).startsWith('.') ? path.dirname(folder) : folder;
}

const MAX_NAME_CHARACTERS = 60;

/** Names as targets have them, for --target and for files: letters, digits, dots, hyphens and underscores. */
function withOwnNames(servers: readonly NamedServer[]): readonly NamedServer[] {
  const taken = new Set<string>();
  return servers.map((server) => {
    const plain = server.name
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replaceAll(/^[^A-Za-z0-9]+|-+$/g, '')
      .slice(0, MAX_NAME_CHARACTERS);
    const first = plain === '' ? 'server' : plain;
    let name = first;
    for (let count = 2; taken.has(name); count += 1) name = `${first}-${count}`;
    taken.add(name);
    return { ...server, name };
  });
}
