import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { parseEnv } from 'node:util';
import type { NamedServer } from '../../client-configs/named-server.ts';
import { readServers } from '../../client-configs/read-servers.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { shellQuote } from '../../judge/curl.ts';
import type { RawConfig } from '../../suite/config/config-language.ts';
import type { TargetConfig } from '../../suite/config/parse-config.ts';
import { readSource } from '../../suite/read-source.ts';
import type { McpFlags } from './mcp-access.ts';

/** A target of a configuration, or a server of the file of --from. */
export interface SourceTarget extends TargetConfig, Pick<McpFlags, 'ofFile'> {
  /** Header lines for its address. */
  readonly header?: readonly string[];
  /** Placeholders and variables without a value: it is not checked. */
  readonly missing?: readonly string[];
}

/**
 * The servers of a client's configuration, or of a server.json, as targets. Those that are disabled or cannot be started
 * are said and left out. A server without a value that it needs is a target that is not checked.
 */
export function targetsOfFile(file: string, config: RawConfig): readonly SourceTarget[] {
  const surroundings = { environment: process.env, home: homedir() };
  const servers = readServers(readSource(file), surroundings, readEnvFile);
  const skipped = servers.flatMap((server) => (server.kind === 'skipped' ? [server] : []));
  for (const { name, why } of skipped) say(`${name}: not checked, ${visible(why)}`);
  const targets = servers.flatMap((server) => targetOf(server, file, config));
  if (targets.length === 0)
    throw new UsageError(`${file} names no server that can be checked: each is disabled or of another kind.`);
  return targets;
}

function targetOf(server: NamedServer, file: string, config: RawConfig): readonly SourceTarget[] {
  const { name } = server;
  const common = { name, url: undefined, env: undefined, start: undefined, config };
  switch (server.kind) {
    case 'skipped':
      return [];
    case 'unresolved':
      return [{ ...common, mcp: undefined, missing: server.missing }];
    case 'command': {
      const { command, secrets } = server;
      const mcp = command.words.map((word) => shellQuote(word)).join(' ');
      return [{ ...common, mcp, ofFile: { file, command, secrets } }];
    }
    case 'address': {
      const { address, secrets } = server;
      const header = Object.entries(address.headers).map(([key, value]) => `${key}: ${value}`);
      return [{ ...common, mcp: address.url, header, ofFile: { file, command: null, secrets } }];
    }
  }
}

function readEnvFile(file: string): Readonly<Record<string, string>> | null {
  try {
    const entries = Object.entries(parseEnv(readFileSync(file, 'utf8')));
    return Object.fromEntries(
      entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  } catch {
    return null;
  }
}
