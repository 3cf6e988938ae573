import type { CheckOptions } from '../../check/check-options.ts';
import { type HealthWait, prepareHealthWatch } from '../../check/learn/wait-for-health.ts';
import { givenHeaders } from '../../check/request-headers.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { TransportFailure } from '../../model/exchange.ts';
import { type RecordSpan, recordNothing } from '../../model/span.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { lastLines } from '../../processes/output-tail.ts';
import { type CommandEnd, type StartedServer, startServer } from '../../processes/started-server.ts';

export interface ToMakeReady {
  readonly url: string;
  readonly options: CheckOptions;
  /** The command that starts the server; null if Probity does not start it. */
  readonly command: string | null;
  readonly waitMs: number | null;
  readonly signal: AbortSignal;
  readonly recordSpan?: RecordSpan;
}

/** Whether the server is ready. If not, the reason was printed and the started server was stopped. */
export type Readiness =
  | { readonly kind: 'ready'; readonly server: StartedServer | null }
  | { readonly kind: 'unreachable'; readonly reason: TransportFailure }
  | { readonly kind: 'interrupted' };

const START_WAIT_MS = 30_000;

/** Starts the server if requested, and waits until it answers. */
export async function makeReady({
  url,
  options,
  command,
  waitMs,
  signal,
  recordSpan = recordNothing,
}: ToMakeReady): Promise<Readiness> {
  const gone = new AbortController();
  const health = await prepareHealthWatch(url, options, AbortSignal.any([signal, gone.signal]));
  const { targetUrl } = health;
  if (command !== null) {
    const occupant = await recordSpan('server', 'occupant', () => health.occupant());
    if (occupant.kind === 'server')
      throw new UsageError(
        `Another server already uses ${targetUrl} (${occupant.lastAnswer}), so the command of --start was not run. Stop that server, or remove --start to check it.`,
      );
    if (signal.aborted) return interrupted();
  }
  const durationMs = waitMs ?? START_WAIT_MS;
  // The server may repeat what is sent to it.
  const redact = createRedactor(givenHeaders(options).secrets).text;
  const server = command === null ? null : startServer(command, redact);
  let end: CommandEnd | null = null;
  void server?.ended.then((found) => {
    end = found;
    gone.abort();
  });
  let readiness: Readiness | null = null;
  try {
    say(
      `${server === null ? '' : 'the server is started; '}waiting up to ${durationMs / 1000} s for ${visible(targetUrl)}/health`,
    );
    const waited = await recordSpan('server', 'start', () => health.wait(durationMs));
    readiness = settle(waited, { targetUrl, durationMs, end, server });
  } finally {
    if (readiness?.kind !== 'ready' && server !== null) {
      const output = await recordSpan('server', 'end', () => server.stop());
      if (readiness?.kind === 'unreachable' && !signal.aborted) sayOutput(output);
    }
  }
  return readiness;
}

interface Outcome {
  readonly targetUrl: string;
  readonly durationMs: number;
  readonly end: CommandEnd | null;
  readonly server: StartedServer | null;
}

function settle(waited: HealthWait, { targetUrl, durationMs, end, server }: Outcome): Readiness {
  const seconds = `${durationMs / 1000} s`;
  if (end !== null) {
    const what = `command of --start ended before GET /health was answered: ${end.exit}`;
    say(`The ${what}. Fix the command; it must keep running while the server runs.`);
    return {
      kind: 'unreachable',
      reason: { code: 'connection-refused', fault: 'network', message: `the ${what}` },
    };
  }
  if (waited.kind === 'interrupted') return interrupted();
  if (waited.kind === 'silent') {
    const remedy =
      server === null
        ? 'Start the server, check the address, or give it more time with --wait.'
        : 'Check that the command serves this address, or give it more time with --wait.';
    say(
      `Nothing at ${visible(targetUrl)} answered GET /health within ${seconds}. The last failure: ${visible(waited.lastFailure.message)}. ${remedy}`,
    );
    return { kind: 'unreachable', reason: waited.lastFailure };
  }
  if (waited.kind === 'answers')
    say(
      `${visible(targetUrl)} answers, but not GET /health with a status of 2xx within ${seconds} (the last answer: ${visible(waited.lastAnswer)}). The check runs anyway.`,
    );
  return { kind: 'ready', server };
}

function interrupted(): Readiness {
  say('The wait was interrupted, and nothing was checked.');
  return { kind: 'interrupted' };
}

/** Prints the server's output; it is never part of the report. */
export function sayOutput(output: string): void {
  const lines = lastLines(output);
  say(
    lines.length === 0
      ? 'The started server printed nothing.'
      : `The last output of the started server:\n${lines.join('\n')}`,
  );
}
