import type { CheckOptions } from '../../check/check-options.ts';
import type { McpAnswer } from '../../check/learn/ask-mcp.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { type AnsweredExchange, headerValue, isSuccess } from '../../model/exchange.ts';
import { SpeaksMcp } from './wire-choice.ts';

/** The first answers of the target, to one read or two, show what it speaks; `given` is its address as it was written. */
export interface Deciding {
  readonly given: string | undefined;
  readonly reads?: 1;
}

/** The server has no such route, or this is no answer of one with the three endpoints. */
const ABSENT: ReadonlySet<number> = new Set([404, 405, 406, 410, 501]);

/**
 * What to do with an answer that no server with the three endpoints gives: the address is asked once whether it speaks
 * the Model Context Protocol. A server that answers neither in one way nor in the other is not checked.
 */
export function decideWire(
  { given, reads: needed }: Deciding,
  options: CheckOptions,
): NonNullable<CheckOptions['onUnlikeAnswer']> {
  const reads: AnsweredExchange[] = [];
  let asked: Promise<McpAnswer> | null = null;
  let hasSaid = false;
  return async (exchange) => {
    reads.push(exchange);
    const base = exchange.request.url.replace(/\/(?:health|capabilities)$/, '');
    // As it was understood, not as it was written: what is no address for one reader must not be a command for another.
    const url = given === undefined ? base : new URL(given).href;
    asked ??= import('../../check/learn/ask-mcp.ts').then(({ askMcp }) => askMcp(url, options));
    const { speaksMcp, turnedAway, said } = await asked;
    const isEndpoint = turnedAway && reads.every(isAbsent);
    if (speaksMcp || isEndpoint) throw new SpeaksMcp(url);
    const came = [
      ...reads.map(
        ({ request, response }) => `GET ${request.url.slice(base.length)}: ${answerWords(response)}`,
      ),
      ...said,
    ].join('; ');
    if (turnedAway && !hasSaid) {
      hasSaid = true;
      say(
        `Nothing shows what kind of server ${visible(base)} is, because it turned the requests away (${visible(came)}). It is checked as one with /health, /capabilities and /execute. Pass a key with --bearer-env or --header, or --wire mcp.`,
      );
    }
    if (reads.length >= (needed ?? 2) && !turnedAway && reads.every(isAbsent))
      throw new UsageError(
        `${visible(base)} answers neither as a server with /health, /capabilities and /execute nor as one of the Model Context Protocol. It was asked, and answered: ${visible(came)}. Check the address: the first kind is given by its base address, the second by its endpoint, such as https://example.com/mcp. To check it anyway, decide with --wire rest or --wire mcp.`,
      );
  };
}

function isAbsent({ response: { status, headers, body } }: AnsweredExchange): boolean {
  if (!isSuccess(status)) return ABSENT.has(status);
  const isJsonRpc = 'text' in body && /^\s*\{[\s\S]*"jsonrpc"\s*:\s*"2\.0"/.test(body.text);
  return isJsonRpc || /^text\/html\b/i.test(headerValue(headers, 'content-type') ?? '');
}

function answerWords({ status, headers }: AnsweredExchange['response']): string {
  const type = headerValue(headers, 'content-type');
  return `status ${status}${type === undefined ? '' : `, ${type.split(';')[0]}`}`;
}
