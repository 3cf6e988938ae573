import { type Exchange, messageMethod, sentBytes, type TestResult } from 'probity/model';
import { functionCalledIn } from './observations-of-test.ts';

const HIDDEN = 'hidden: it may repeat the input of the caller who requested the test';

/**
 * A result as others than its caller may see it: without the caller's input, and without what may repeat it, which are
 * the requests with it, their answers, and the texts about them. Outcomes and times stay. Pure.
 */
export function withoutCallersInput(result: TestResult, functions: readonly string[]): TestResult {
  if (functions.length === 0) return result;
  const isPrivate = (name: string | undefined): boolean => name !== undefined && functions.includes(name);
  const exchanges = result.exchanges.filter((exchange) => !mayHoldInput(exchange, functions));
  const kept = new Set(exchanges.map(({ request }) => request.key));
  const hidden = new Set(
    result.findings.filter(({ where }) => isPrivate(where.function)).map(({ id }) => id),
  );
  const samples = Object.entries(result.settings.samples).flatMap(([name, list]) => {
    const own = isPrivate(name) ? list.slice(1) : list;
    return own.length === 0 ? [] : [[name, own] as const];
  });
  return {
    ...result,
    settings: { ...result.settings, samples: Object.fromEntries(samples) },
    results: result.results.map(({ decidedBy, reason, ...row }) => ({
      ...row,
      ...(reason === undefined ? {} : { reason: hidden.has(row.id) ? HIDDEN : reason }),
      ...(decidedBy === undefined || !kept.has(decidedBy.exchange) ? {} : { decidedBy }),
    })),
    findings: result.findings.map((finding) =>
      isPrivate(finding.where.function)
        ? { ...finding, message: HIDDEN, expected: HIDDEN, received: HIDDEN, curl: null }
        : finding,
    ),
    errors: result.errors.map((error) =>
      error.operation.startsWith('execute') ? { ...error, message: HIDDEN } : error,
    ),
    samples: result.samples.filter((sample) => !isPrivate(sample.function)),
    exchanges,
  };
}

/** Of JSON-RPC; the other messages that are sent carry no input. */
const CALL = 'tools/call';

function mayHoldInput(exchange: Exchange, functions: readonly string[]): boolean {
  const { request } = exchange;
  if (sentBytes(request) === null || (messageMethod(request) ?? CALL) !== CALL) return false;
  const name = functionCalledIn(exchange);
  return name === null || functions.includes(name);
}
