import { isSuccess, type TransportFailure, type TransportFailureCode } from '../../model/exchange.ts';
import { exchangeKey } from '../../model/exchange-key.ts';
import { type HttpExchange, overHttp } from '../../model/sent.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { checkInputOf } from '../check-input.ts';
import type { CheckOptions } from '../check-options.ts';
import { prepareRun } from '../prepare-run.ts';
import { plainRead } from '../request-headers.ts';

/** The outcome of waiting until GET /health is answered with 2xx. */
export type HealthWait =
  | { readonly kind: 'ready'; readonly afterMs: number }
  | { readonly kind: 'answers'; readonly lastAnswer: string }
  | { readonly kind: 'silent'; readonly lastFailure: TransportFailure }
  | { readonly kind: 'interrupted' };

/** What answers GET /health at the moment. */
export type Occupant = { readonly kind: 'none' } | { readonly kind: 'server'; readonly lastAnswer: string };

export interface HealthWatch {
  readonly targetUrl: string;
  /** Sends one request, to see whether another server uses the address before one is started. */
  occupant(): Promise<Occupant>;
  read(): Promise<HttpExchange>;
  wait(durationMs: number): Promise<HealthWait>;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;
const GROWTH = 1.5;
/** Limits one attempt, for a server that accepts connections long before it answers. */
const FIRST_ATTEMPT_MS = 2000;
/** Minimum time of the last attempt, even if the wait ends a little late. */
const MIN_ATTEMPT_MS = 250;

/** A gateway answers these while the server behind it is down. */
const GATEWAY_ERRORS = new Set([502, 503, 504]);

/** These failures show that a server is there; the check judges them. */
const NOT_UNDERSTOOD: ReadonlySet<TransportFailureCode> = new Set([
  'certificate-expired',
  'certificate-not-yet-valid',
  'certificate-untrusted',
  'certificate-wrong-host',
  'tls-too-old',
  'tls-failure',
  'invalid-http',
  'bare-lf-in-chunks',
  'closed-early',
  'headers-too-large',
  'body-too-large',
  'run-bytes-spent',
]);

/**
 * Prepares to wait for a server, with the address guard and headers of the check. Throws the same errors as the check
 * for wrong options, before the wait.
 */
export async function prepareHealthWatch(
  url: string,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<HealthWatch> {
  const { targetUrl, settings, probe } = await prepareRun(checkInputOf(url, options), signal);
  let attempts = 0;
  const requestHealth = (timeoutMs: number): Promise<HttpExchange> => {
    const request = plainRead(`${targetUrl}/health`, exchangeKey('wait/health', attempts), timeoutMs);
    attempts += 1;
    return probe.send(request).then(overHttp);
  };
  return {
    targetUrl,
    read: () => requestHealth(settings.requestTimeoutMs),
    occupant: async () => {
      const exchange = await requestHealth(Math.min(settings.requestTimeoutMs, FIRST_ATTEMPT_MS));
      const lastAnswer = answerOf(exchange) ?? silenceOf(exchange);
      if (lastAnswer === null) return { kind: 'none' };
      const isGateway = exchange.kind === 'answered' && GATEWAY_ERRORS.has(exchange.response.status);
      return isGateway ? { kind: 'none' } : { kind: 'server', lastAnswer };
    },
    wait: async (durationMs) => {
      const startMs = systemClock.monotonicMs();
      const elapsedMs = (): number => systemClock.monotonicMs() - startMs;
      let pauseMs = FIRST_PAUSE_MS;
      let attemptMs = FIRST_ATTEMPT_MS;
      let answers: HealthWait | null = null;
      let silent: HealthWait = { kind: 'interrupted' };
      for (;;) {
        const leftMs = Math.max(MIN_ATTEMPT_MS, durationMs - elapsedMs());
        const exchange = await requestHealth(Math.min(settings.requestTimeoutMs, attemptMs, leftMs));
        if (signal.aborted) return { kind: 'interrupted' };
        if (exchange.kind === 'answered' && isSuccess(exchange.response.status))
          return { kind: 'ready', afterMs: elapsedMs() };
        const lastAnswer = answerOf(exchange);
        if (lastAnswer !== null) answers = { kind: 'answers', lastAnswer };
        if (exchange.kind === 'unanswered') silent = { kind: 'silent', lastFailure: exchange.reason };
        const isRefused = exchange.kind === 'unanswered' && exchange.reason.code === 'address-refused';
        if (isRefused || elapsedMs() >= durationMs) break;
        await systemClock.sleep(Math.min(pauseMs, durationMs - elapsedMs()), signal);
        pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * GROWTH);
        attemptMs *= 2;
      }
      return answers ?? silent;
    },
  };
}

/** A process that accepts connections holds the port, and may later answer instead of the started server. */
function silenceOf(exchange: HttpExchange): string | null {
  if (exchange.kind === 'answered') return null;
  const { code, message } = exchange.reason;
  return code === 'timeout' || code === 'tls-timeout' ? `connections are accepted, but ${message}` : null;
}

function answerOf(exchange: HttpExchange): string | null {
  if (exchange.kind === 'answered') return `status ${exchange.response.status}`;
  return NOT_UNDERSTOOD.has(exchange.reason.code) ? exchange.reason.message : null;
}
