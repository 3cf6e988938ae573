import { EXIT, listenError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { startBridge } from '../../gateway/start-bridge.ts';
import { visible } from '../../json/visible.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import type { McpFlags } from '../options/mcp-access.ts';
import { mcpTarget } from '../options/mcp-target.ts';

export interface BridgeFlags extends McpFlags {
  readonly form: 'A' | 'B';
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
  readonly sessions: number;
  /** In seconds. */
  readonly timeout: number;
  /** In seconds. */
  readonly startTimeout: number;
}

/** Serves a server of the Model Context Protocol at the three endpoints, until it is stopped. */
export async function bridge(given: readonly string[], flags: BridgeFlags): Promise<void> {
  const { form, host, port, basePath, sessions } = flags;
  const [program = '', ...rest] = given;
  const { open, redactor } = await mcpTarget([program, ...rest], flags, (line) =>
    say(`[server] ${visible(line)}`),
  );
  const redact = redactor.text;
  const shown = (text: string): string => visible(redact(text));
  let isServing = false;
  const running = await startBridge({
    form,
    host,
    port,
    basePath,
    sessions,
    open,

    redactor,
    timeoutMs: flags.timeout * 1000,
    startTimeoutMs: flags.startTimeout * 1000,
    clientVersion: harnessVersion(),
    clock: systemClock,
    onOpen: ({ info: { name, version, transport, protocolVersion } }) =>
      say(
        `connected to ${shown(name)} ${shown(version)} over ${transport}, protocol ${shown(protocolVersion)}`,
      ),
    onLost: (reason, retryInMs) => {
      if (isServing) say(`A session ended: ${shown(reason)}. The next attempt is in ${retryInMs / 1000} s.`);
    },
  }).catch((error: unknown) => {
    throw listenError(error, { host, port });
  });
  let isStopping = false;
  const stop = (): void => {
    // The second ctrl-C ends this process at once; the server's supervisor ends the server.
    if (isStopping) process.exit(130);
    isStopping = true;
    void running.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  try {
    await running.first;
  } catch (error) {
    if (isStopping) return;
    sayUnusable(redact((error as Error).message), program);
    await running.close();
    process.exitCode = EXIT.unreachable;
    return;
  }
  isServing = true;
  // A program that reads the address may use it at once.
  process.stdout.write(`${running.url}\n`);
  say(
    `Check the server from another terminal with: probity check ${running.url}\nctrl-C stops the bridge and the server.`,
  );
}

/** The message may have the last lines of the server. */
function sayUnusable(message: string, target: string): void {
  say(`The server cannot be used: ${message.split('\n').map(visible).join('\n')}`);
  if (/ the status 40[13]/.test(message)) say('Pass a token with --bearer-env or --header.');
  say(
    /^https?:/i.test(target)
      ? 'Check that the address is that of its endpoint, such as https://example.com/mcp.'
      : 'Check that the command starts a server that speaks over its standard streams.',
  );
}
