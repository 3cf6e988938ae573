import { type Exchange, isSuccess } from '../../model/exchange.ts';
import { shorten } from '../../model/json.ts';
import type { TestResult } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { isMessage } from '../../wires/mcp/answer.ts';

/** The address is probably wrong, which explains everything else. */
export interface WrongTarget {
  readonly problem: string;
  readonly remedy: string;
}

/** Null if the target answers like one that is meant. Pure. */
export function wrongTarget({
  reachable,
  exchanges,
  findings,
  settings,
}: Pick<TestResult, 'reachable' | 'exchanges' | 'findings' | 'settings'>): WrongTarget | null {
  const isServer =
    settings.mcp === undefined && settings.directory === undefined && !exchanges.some(isMessage);
  if (!reachable) {
    const [first] = findings;
    if (first === undefined) return null;
    const remedy = isServer ? `${first.fix} ${BASE_ADDRESS}` : first.fix;
    return {
      problem: visible(shorten(first.message, MAX_CHARACTERS)),
      remedy: visible(shorten(remedy, MAX_CHARACTERS)),
    };
  }
  if (!isServer) return null;
  const answers = exchanges.flatMap((exchange) => (exchange.kind === 'answered' ? [exchange] : []));
  const reads = answers.filter(({ request }) => PATHS.some((path) => request.url.endsWith(path)));
  if (reads.length === 0) return null;
  // A part of the requirements (`only`) may need only one of the two.
  const paths = PATHS.filter((path) => reads.some(({ request }) => request.url.endsWith(path)));
  const asked = paths.map((path) => `GET ${path}`).join(' and ');
  const statuses = [...new Set(reads.map(({ response }) => response.status))];
  // Servers of JSON-RPC answer errors with status 200, too.
  const isJsonRpc = statuses.some((status) => isSuccess(status))
    ? reads.every(speaksJsonRpc)
    : answers.some(speaksJsonRpc);
  if (isJsonRpc)
    return {
      problem: `it speaks JSON-RPC, and answers ${asked} with ${listOf(statuses)}`,
      remedy: 'It is probably a server of the Model Context Protocol: check it with --mcp URL.',
    };
  if (!statuses.every((status) => MISSING.has(status))) return null;
  return {
    problem: `${asked} ${paths.length === 1 ? 'is' : 'are'} answered with ${listOf(statuses)}`,
    remedy: `${BASE_ADDRESS} A server of the Model Context Protocol is checked with --mcp URL.`,
  };
}

const PATHS = ['/health', '/capabilities'] as const;
const MAX_CHARACTERS = 400;
const BASE_ADDRESS = 'Check the base address: /health, /capabilities and /execute are added to it.';
const MISSING: ReadonlySet<number> = new Set([404, 405, 406, 410, 501]);

function speaksJsonRpc(exchange: Extract<Exchange, { kind: 'answered' }>): boolean {
  const { body } = exchange.response;
  return 'text' in body && /"jsonrpc"\s*:\s*"2\.0"/.test(body.text.slice(0, MAX_CHARACTERS));
}

function listOf(statuses: readonly number[]): string {
  return `${statuses.length === 1 ? 'status' : 'the statuses'} ${statuses.join(' and ')}`;
}
