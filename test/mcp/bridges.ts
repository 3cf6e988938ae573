import { onTestFinished } from 'vitest';
import { mcpTarget } from '../../src/cli/commands/bridge.ts';
import type { BridgeSettings } from '../../src/gateway/bridge.ts';
import { type RunningBridge, startBridge } from '../../src/gateway/start-bridge.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { type HttpSubjectOptions, startHttpSubject } from './http-subject.ts';
import { SUBJECT, type SubjectOptions } from './subject-options.ts';

export interface StdioSubjectOptions extends SubjectOptions {
  /** Writes lines between its messages that are no messages. */
  readonly noise?: boolean;
  /** Ignores the end of its input and SIGTERM, and has a child that left its group. */
  readonly stubborn?: boolean;
  /** Ends when a line is not JSON. */
  readonly fragile?: boolean;
  /** Stays when its input ends, until it gets a signal. */
  readonly lingering?: boolean;
  /** Does not answer this method. */
  readonly deafTo?: string;
  /** Ends when this method is called. */
  readonly ends?: string;
  /** Where it writes its process id, and that of its child. */
  readonly idFile?: string;
  /** Where it writes the parameter `a` of each call that it gets. */
  readonly callFile?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject & { readonly error?: JsonObject; readonly result?: JsonObject };
}

export interface TestedBridge extends RunningBridge {
  /** What was said of sessions that ended. */
  readonly lost: readonly string[];
  readonly stderr: readonly string[];
  get(path: string): Promise<Answer>;
  call(name: string, parameters?: JsonObject, more?: JsonObject, signal?: AbortSignal): Promise<Answer>;
}

type Changes = Partial<Pick<BridgeSettings, 'form' | 'sessions' | 'timeoutMs'>>;

/** A bridge over the subject's standard streams, closed at the end of the test. */
export async function stdioBridge(
  subject: StdioSubjectOptions = {},
  changes: Changes = {},
  flags: Parameters<typeof mcpTarget>[1] = {},
): Promise<TestedBridge> {
  const command = [process.execPath, SUBJECT, JSON.stringify(subject)] as const;
  return bridgeTo(command, changes, flags);
}

/** A bridge over HTTP. */
export async function httpBridge(
  subject: HttpSubjectOptions = {},
  changes: Changes = {},
  flags: Parameters<typeof mcpTarget>[1] = {},
) {
  const server = await startHttpSubject(subject);
  onTestFinished(server.close);
  return { server, bridge: await bridgeTo([server.url], changes, flags) };
}

export async function bridgeTo(
  target: readonly [string, ...string[]],
  changes: Changes = {},
  flags: Parameters<typeof mcpTarget>[1] = {},
): Promise<TestedBridge> {
  const lost: string[] = [];
  const stderr: string[] = [];
  const { open, redactor } = await mcpTarget(target, flags, (line) => stderr.push(line));
  const running = await startBridge({
    form: 'B',
    sessions: 1,
    timeoutMs: 20_000,
    startTimeoutMs: 20_000,
    ...changes,
    open,
    redactor,
    clientVersion: '0.0.0',
    clock: systemClock,
    onOpen: () => undefined,
    onLost: (reason) => lost.push(reason),
  });
  onTestFinished(running.close);
  const ask = async (route: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(`${running.url}${route}`, init);
    const { status, headers } = response;
    return { status, headers, body: (await response.json()) as Answer['body'] };
  };
  return {
    ...running,
    lost,
    stderr,
    get: (route) => ask(route),
    call: (name, parameters = {}, more = {}, signal) =>
      ask('/execute', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ function: name, parameters, ...more }),
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}
