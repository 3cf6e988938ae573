import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { statusOf } from '../../mcp/http-connection.ts';
import { startBridge } from '../../mcp/start-bridge.ts';
import { SubjectError, type SubjectFault } from '../../mcp/subject.ts';
import type { TransportFailure } from '../../model/exchange.ts';
import type { BridgedServer } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import type { ServerFlags } from './listed-target.ts';
import type { McpFlags } from './mcp-access.ts';
import { mcpTarget } from './mcp-target.ts';
import { openConversation } from './open-conversation.ts';
import type { CheckFlags } from './settings.ts';
import type { WireChoice } from './wire-choice.ts';

export interface BridgedFlags
  extends McpFlags,
    Pick<
      CheckFlags,
      'bridged' | 'deciding' | 'directory' | 'start' | 'wait' | 'form' | 'only' | 'skip' | 'unreachable'
    >,
    Pick<ServerFlags, 'server'> {
  /** The command or the address of a server of the Model Context Protocol. */
  readonly mcp?: string;
  /** What the target speaks; found out without it. */
  readonly wire?: WireChoice;
}

/** The server answers, but so that no session can be opened. */
const JUDGED_FAULTS: ReadonlySet<SubjectFault> = new Set(['invalid', 'refused']);

/** They judge calls, which need the session that could not be opened. */
const OF_CALLS = [
  'mcp/*-kept',
  'mcp/result-*',
  'mcp/structured-*',
  'mcp/errors-in-results',
  'mcp/relayed-unchanged',
];

/** A bridge for one run waits as long as the run does. */
const TIMEOUT_MS = 3_600_000;
const START_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Runs a command on a bridge that lasts as long as the command. If no session could be opened, the reason was printed:
 * a command that judges messages still runs, to judge those or to report why; the outcome of another is undefined.
 */
export async function throughBridge<Flags extends BridgedFlags, Outcome>(
  mcp: string,
  given: string | undefined,
  flags: Flags,
  run: (url: string | undefined, flags: Flags) => Promise<Outcome>,
  judges: 'messages' | null,
): Promise<Outcome | undefined> {
  refuseOtherTargets(given, flags);
  const { open, channels, redactor } = await mcpTarget(mcp, flags, () => undefined);
  const redact = redactor.text;
  const address = redact(mcp);
  say(`starting a bridge to ${visible(address)}`);
  const bridge = await startBridge({
    form: flags.form === 'A' ? 'A' : 'B',
    sessions: 1,
    open,
    channels,
    redactor,
    timeoutMs: TIMEOUT_MS,
    startTimeoutMs: START_TIMEOUT_MS,
    clientVersion: harnessVersion(),
    clock: systemClock,
  });
  try {
    const session = await bridge.first.catch((error: Error) => error);
    if (session instanceof Error) {
      const message = redact(session.message);
      const only = flags.only ?? ['mcp/*'];
      const { transport } = channels;
      const aside = await setAside(session, mcp, flags);
      if (aside !== null) {
        say(visible(redact(aside.message)));
        process.exitCode = EXIT.incomplete;
        if (judges === null) return undefined;
        return await run(bridge.url, {
          ...forBridge(flags, { address, transport, protocolVersion: '' }),
          only,
          skip: [...(flags.skip ?? []), 'mcp/relayed-unchanged'],
          unreachable: aside,
        });
      }
      if (judges === 'messages' && isAnswer(session)) {
        say(`The server cannot be used: ${visible(message)}. Only its messages are judged.`);
        return await run(bridge.url, {
          ...forBridge(flags, { address, transport, protocolVersion: 'unknown' }),
          only,
          skip: [...(flags.skip ?? []), ...OF_CALLS],
        });
      }
      sayUnusable(message, mcp);
      process.exitCode = EXIT.unreachable;
      if (judges === null) return undefined;
      return await run(bridge.url, {
        ...forBridge(flags, { address, transport, protocolVersion: '' }),
        only,
        unreachable: failureOf(session, message),
      });
    }
    const { transport, protocolVersion } = session.info;
    return await run(bridge.url, forBridge(flags, { address, transport, protocolVersion }));
  } finally {
    await bridge.close();
  }
}

/** Why a server that answers cannot be judged, without a fault of it: it wants a key, or speaks only the newer era. */
async function setAside(
  { cause }: Error,
  mcp: string,
  flags: BridgedFlags,
): Promise<TransportFailure | null> {
  if (!(cause instanceof SubjectError) || !JUDGED_FAULTS.has(cause.fault)) return null;
  const opening = await openConversation(mcp, flags, {
    era: 'stateless',
    handshake: true,
    client: { name: 'probity', version: harnessVersion() },
    // It has answered once already.
    startTimeoutMs: ANSWER_TIMEOUT_MS,
    signal: new AbortController().signal,
    clock: systemClock,
  });
  if (opening.kind === 'not-open')
    return opening.failure === 'gated' ? { code: 'gated', fault: 'harness', message: opening.message } : null;
  await opening.conversation.close();
  const message = `The server speaks only revision ${opening.spoken.version} of the Model Context Protocol, which is not judged yet: nothing is decided about it.`;
  return { code: 'other-revision', fault: 'harness', message };
}

/** An answer to initialize, and not one of a server that is something else, or needs a token. */
function isAnswer({ cause }: Error): boolean {
  return cause instanceof SubjectError && JUDGED_FAULTS.has(cause.fault) && statusOf(cause) === null;
}

/** A server that was reached and opens no session is itself the cause. */
function failureOf(error: Error, message: string): TransportFailure {
  const failure = error instanceof SubjectError ? error.failure : null;
  return {
    code: 'no-session',
    fault: 'server',
    ...failure,
    message: `the server cannot be used: ${message}`,
  };
}

/** The message may have the last lines of the server. */
export function sayUnusable(message: string, target: string): void {
  say(`The server cannot be used: ${message.split('\n').map(visible).join('\n')}`);
  if (/ the status 40[13]/.test(message)) say('Pass a token with --bearer-env or --header.');
  say(
    /^https?:/i.test(target)
      ? 'Check that the address is that of its endpoint, such as https://example.com/mcp.'
      : 'Check that the command starts a server that speaks over its standard streams.',
  );
}

function refuseOtherTargets(given: string | undefined, flags: BridgedFlags): void {
  const other =
    given === undefined
      ? (['directory', 'server', 'start', 'wait'] as const).find((name) => flags[name] !== undefined)
      : null;
  if (other === undefined) return;
  throw new UsageError(
    other === null
      ? 'The address and --mcp name two servers: remove one of the two.'
      : `--${other} cannot be combined with ${flags.mcp === undefined ? 'a server of the Model Context Protocol, whose command is itself the target' : '--mcp, which names and starts the server'}. Remove one of the two.`,
  );
}

/** The bridge uses the access to the server, and needs none itself. */
function forBridge<Flags extends BridgedFlags>(flags: Flags, server: BridgedServer): Flags {
  const {
    mcp: _mcp,
    env: names,
    ofFile,
    header: _header,
    bearerEnv,
    ca: _ca,
    publicOnly: _only,
    ...rest
  } = flags;
  const env = names ?? (ofFile === undefined ? undefined : Object.keys(ofFile.command?.env ?? {}));
  const bridged: BridgedServer = {
    ...server,
    ...(env === undefined ? {} : { env }),
    ...(bearerEnv === undefined ? {} : { bearerEnv }),
    ...(ofFile === undefined ? {} : { from: ofFile.file }),
  };
  return { ...rest, bridged } as unknown as Flags;
}
