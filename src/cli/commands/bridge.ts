import { EXIT, listenError, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { type McpTarget, remoteTarget } from '../../gateway/http-connection.ts';
import { openSession } from '../../gateway/session.ts';
import { startBridge } from '../../gateway/start-bridge.ts';
import { connectProcess } from '../../gateway/stdio-connection.ts';
import { visible } from '../../json/visible.ts';
import { createRedactor, type Redactor } from '../../probe/redactor.ts';
import { systemClock } from '../../probe/system-clock.ts';
import type { Launch } from '../../processes/started-server.ts';
import { type SubjectLaunch, startSubject } from '../../processes/subject-process.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import {
  accessOfAddress,
  accessOfCommand,
  isAddress,
  type McpFlags,
  requireFolder,
} from '../options/mcp-access.ts';
import { commandOf } from '../options/wire-choice.ts';

interface BridgeFlags extends McpFlags {
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

/** A command line for a shell, a program with its arguments, or an address. */
export async function mcpTarget(
  given: Launch['command'],
  flags: McpFlags,
  onStderr: (line: string) => void,
): Promise<McpTarget> {
  const { ofFile } = flags;
  if (ofFile?.command != null) {
    const { words, env, cwd } = ofFile.command;
    requireFolder(cwd);
    return processTarget({ command: words, env, cwd, onStderr }, createRedactor(ofFile.secrets));
  }
  const [first, ...rest] = typeof given === 'string' ? [given] : given;
  if (!isAddress(first)) {
    const { env, redactor } = accessOfCommand(flags);
    const command = typeof given === 'string' ? commandOf(given) : given;
    return processTarget({ command, env, cwd: null, onStderr }, redactor);
  }
  if (rest.length > 0)
    throw new UsageError(
      'Give one address, or a command with its arguments. Options come before the address.',
    );
  return remoteTarget({ ...(await accessOfAddress(first, flags)), viaProxy: true });
}

function processTarget(started: Omit<SubjectLaunch, 'redact'>, redactor: Redactor): McpTarget {
  const launch = { ...started, redact: redactor.text };
  return { open: (options) => openSession(connectProcess(startSubject(launch)), options), redactor };
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
