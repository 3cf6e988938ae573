import type { Secret } from '../model/probe.ts';
import { type McpServer, START_TIMEOUT_MS } from '../model/report.ts';
import type { Era } from '../model/wire.ts';
import { createRedactor, secretsIn, secretsInQuery } from '../probe/redactor.ts';

/** How to reach a server of the Model Context Protocol that is the target; `{}` for an endpoint at the address. */
export interface McpOptions {
  /** Starts the server, which speaks over its standard streams: a line for the shell, or a program and its arguments. */
  readonly command?: string | readonly [program: string, ...rest: string[]];
  /** Environment variables of the command. Their values are secrets and are never stored. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its working folder; left out: that of this process. */
  readonly cwd?: string;
  /** The era of the protocol; left out: whichever the server speaks, the newer one first. */
  readonly era?: Era;
  /** For the first answer, in milliseconds: a server may be installed, or wake up, before it reads anything. */
  readonly startTimeoutMs?: number;
  /** The file that names the server. */
  readonly from?: string;
  /** Further values that must not be shown. */
  readonly secrets?: readonly Secret[];
}

interface WithMcp {
  readonly mcp?: McpOptions;
  readonly bearerEnv?: string;
}

/** What a report keeps of the server. */
export function mcpServerOf(url: string, { mcp, bearerEnv }: WithMcp): McpServer | undefined {
  if (mcp === undefined) return undefined;
  return {
    address: shownTarget(url, mcp),
    channel: mcp.command === undefined ? 'http' : 'stdio',
    era: mcp.era ?? 'auto',
    startTimeoutMs: mcp.startTimeoutMs ?? START_TIMEOUT_MS,
    ...(mcp.env === undefined ? {} : { env: Object.keys(mcp.env) }),
    ...(bearerEnv === undefined ? {} : { bearerEnv }),
    ...(mcp.from === undefined ? {} : { from: mcp.from }),
  };
}

/** The target as it may be shown: without the keys in its address. */
export function shownTarget(targetUrl: string, mcp: McpOptions | undefined): string {
  return mcp === undefined ? targetUrl : createRedactor(secretsOf(targetUrl, mcp)).text(targetUrl);
}

export function secretsOf(url: string, { command, env = {}, secrets = [] }: McpOptions): readonly Secret[] {
  const ofEnv = Object.entries(env).flatMap(([variable, value]) => secretsIn(value, variable));
  return [...secrets, ...ofEnv, ...(command === undefined ? secretsInQuery(url) : [])];
}
