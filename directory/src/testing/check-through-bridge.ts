import type { SubjectError } from 'probity/mcp';
import type { TestResult, TransportFailure } from 'probity/model';
import { reportUnreachable, systemClock } from 'probity/service';
import { failureOf } from '../bridges/bridged-exchange.ts';
import type { Service } from '../http/service.ts';
import { closedUntilMs, createPoliteTurns } from '../probing/polite-turns.ts';
import { accessTo } from '../probing/target-access.ts';
import type { Entry } from '../store/entries.ts';
import type { EntryCheckOptions } from './check-entry.ts';
import { movedTo } from './moved-result.ts';

/** Checks a server of the Model Context Protocol like `probity check --mcp`. */
export async function checkThroughBridge(
  service: Service,
  entry: Entry,
  options: EntryCheckOptions,
): Promise<TestResult> {
  const { settings, bridges, checks } = service;
  const startedMs = systemClock.monotonicMs();
  const access = accessTo(entry, settings);
  // The bridge has the access to the server and the address guard, and is itself on this machine.
  const { bearerToken: _token, ca: _ca, publicOnly, ...rest } = options;
  const shown = { url: access.url, publicOnly };
  const bridged = { address: access.url, transport: 'streamable HTTP', protocolVersion: '' };
  const unreachable = async (reason: TransportFailure): Promise<TestResult> =>
    movedTo(shown, await reportUnreachable(NOWHERE, { ...rest, bridged }, reason));
  if (access.kind === 'refused') return unreachable(access.reason);

  let askedUntilMs = 0;
  const bridge = await bridges.listen({
    url: access.url,
    ...access.headers,
    onAnswer: (status, headers) => {
      const retryAfter = headers.get('retry-after') ?? undefined;
      askedUntilMs = Math.max(askedUntilMs, closedUntilMs(status, retryAfter, Date.now()));
    },
  });
  try {
    const session = await Promise.race([
      bridge.first.catch((error: SubjectError) => error),
      aborted(options.signal),
    ]);
    if (session === null) return await unreachable(INTERRUPTED);
    if (session instanceof Error) return await unreachable(reasonOf(session));
    const { transport, protocolVersion } = session.info;
    const spentMs = systemClock.monotonicMs() - startedMs;
    const result = await checks.check(bridge.url, {
      ...rest,
      deadlineMs: Math.max(MIN_DEADLINE_MS, options.deadlineMs - spentMs),
      bridged: { ...bridged, transport, protocolVersion },
    });
    return movedTo(shown, result);
  } finally {
    await bridge.close();
    // The check sees only the answers of the bridge.
    await createPoliteTurns(service).close(entry, askedUntilMs);
  }
}

/** Never called: no request is sent. */
const NOWHERE = 'http://127.0.0.1:1';
const MIN_DEADLINE_MS = 1000;
const INTERRUPTED: TransportFailure = {
  code: 'interrupted',
  fault: 'harness',
  message: 'the test was interrupted',
};

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function reasonOf(error: SubjectError): TransportFailure {
  return failureOf(error)?.reason ?? { code: 'invalid-http', fault: 'server', message: error.message };
}
