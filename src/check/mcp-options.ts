import { leaf, listOf, mapOf, milliseconds, oneOf, record, required, text } from '../model/arguments.ts';
import type { RecordOf } from '../model/kind.ts';
import type { Secret } from '../model/probe.ts';
import { type McpServer, START_TIMEOUT_MS } from '../model/report.ts';
import { createRedactor, secretsIn, secretsInQuery } from '../probe/redactor.ts';

function isCommand(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
  );
}

/** How to reach a server of the Model Context Protocol that is the target; `{}` for an endpoint at the address. */
export const MCP_OPTIONS = {
  /** Starts the server, which speaks over its standard streams: a line for the shell, or a program and its arguments. */
  command: leaf<string | readonly [program: string, ...rest: string[]]>(
    'a text, or a list of texts',
    isCommand,
  ),
  /** Environment variables of the command. Their values are secrets and are never stored. */
  env: mapOf(text),
  /** Its working folder; left out: that of this process. */
  cwd: text,
  /** The era of the protocol; left out: whichever the server speaks, the newer one first. */
  era: oneOf('session', 'stateless'),
  /** For the first answer, in milliseconds: a server may be installed, or wake up, before it reads anything. */
  startTimeoutMs: milliseconds,
  /** The file that names the server. */
  from: text,
  /** Further values that must not be shown. */
  secrets: listOf(record({ value: required(text), variable: required(text) })),
};

export type McpOptions = RecordOf<typeof MCP_OPTIONS>;

interface WithMcp {
  readonly mcp?: McpOptions | undefined;
  readonly bearerEnv?: string | undefined;
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
