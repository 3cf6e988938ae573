import { listenError, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import type { RunningServer } from '../../reference/server.ts';

export interface ReferenceFlags {
  readonly wire: 'rest' | 'mcp';
  readonly form?: 'A' | 'B' | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly basePath?: string | undefined;
}

export async function reference({ wire, ...flags }: ReferenceFlags): Promise<void> {
  if (wire === 'rest') return serveRest(flags);
  requireNoForm(flags);
  if (flags.basePath !== undefined)
    throw new UsageError('--base-path applies only to --wire rest. With --wire mcp, the path is /mcp.');
  if (flags.port !== undefined) return serveMcpOverHttp(flags.port, flags.host);
  if (flags.host !== undefined)
    throw new UsageError('With --wire mcp, --host applies only to HTTP. Add --port, or remove --host.');
  return serveMcpOverStreams();
}

/** Servers of the Model Context Protocol have no forms. */
export function requireNoForm({ form }: Pick<ReferenceFlags, 'form'>): void {
  if (form !== undefined) throw new UsageError('--form applies only to --wire rest. Remove it.');
}

type Flags = Omit<ReferenceFlags, 'wire'>;

const DEFAULT_HOST = '127.0.0.1';

async function serveRest({
  form = 'B',
  host = DEFAULT_HOST,
  port = 3000,
  basePath = '',
}: Flags): Promise<void> {
  const { startReferenceServer } = await import('../../reference/server.ts');
  const starting = startReferenceServer({ form, host, port, basePath });
  await serve(starting, { host, port }, `A reference server of form ${form}`, 'probity check');
}

async function serveMcpOverHttp(port: number, host = DEFAULT_HOST): Promise<void> {
  const { startMcpReferenceServer } = await import('../../reference/mcp/http.ts');
  const at = { host, port };
  await serve(startMcpReferenceServer(at), at, 'An MCP reference server', 'probity check --mcp');
}

/** Until it is stopped. */
async function serve(
  starting: Promise<RunningServer>,
  at: { readonly host: string; readonly port: number },
  what: string,
  check: string,
): Promise<void> {
  const server = await starting.catch((error: unknown) => {
    throw listenError(error, at);
  });
  const stop = (): void => void server.close();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // A program that reads the address may stop the server at once.
  process.stdout.write(`${server.url}\n`);
  say(`${what}. Check it from another terminal with: ${check} ${server.url}\nctrl-C stops it.`);
}

async function serveMcpOverStreams(): Promise<void> {
  const { serveStreams } = await import('../../reference/mcp/stdio.ts');
  if (process.stdin.isTTY === true)
    say(
      'An MCP reference server on standard streams: it reads one message a line. Check it with: probity check --mcp "probity reference --wire mcp"\nFor a server over HTTP, add --port 3000. ctrl-D ends the input and stops it.',
    );
  await serveStreams(process.stdin, process.stdout);
}
