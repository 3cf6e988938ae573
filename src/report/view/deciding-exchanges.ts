import { shorten } from '../../json/json.ts';
import { visible, visibleLines } from '../../json/visible.ts';
import type { Exchange, SentBody } from '../../model/exchange.ts';
import type { TestResult } from '../../model/report.ts';
import { isHttpRequest, sentBytes } from '../../model/sent.ts';
import { answeredWords, headerLines, marked, NOT_TEXT, requestWords } from './answers.ts';
import { inMs } from './figures.ts';

export type ExchangeView = ReturnType<typeof exchangeView>;

export type DecidingExchange = NonNullable<ReturnType<typeof decidingExchanges>['deciding'][number]>;

/** A server with hundreds of functions would make the page large. */
const MAX_EXCHANGES = 200;
/** Of each body. */
const MAX_CHARACTERS = 200;

/** Each exchange once, and for each requirement, in their order, the first one from which it passed. */
export function decidingExchanges({ results, exchanges }: Pick<TestResult, 'results' | 'exchanges'>) {
  const byKey = new Map(exchanges.map((exchange) => [exchange.request.key, exchange]));
  const shown = new Map<Exchange, number>();
  const deciding = results.map(({ outcome, decidedBy }) => {
    if (outcome !== 'passed' || decidedBy === undefined) return null;
    const exchange = byKey.get(decidedBy.exchange);
    if (exchange === undefined) return null;
    const index = shown.get(exchange) ?? shown.size;
    if (index === MAX_EXCHANGES) return null;
    shown.set(exchange, index);
    const more = decidedBy.count > 1 ? ` and ${decidedBy.count - 1} more` : '';
    // The place among those that are shown, and words such as `POST /execute and 11 more`.
    return { index, words: `${requestWords(exchange)}${more}` };
  });
  return { exchanges: [...shown.keys()].map(exchangeView), deciding };
}

/** The parts are the body of the request, if it has one, the headers of the answer, and its body. */
function exchangeView(exchange: Exchange) {
  const { request, timing } = exchange;
  const bytes = sentBytes(request);
  const text = bytes === null ? null : bodyText(bytes);
  // A line to a process has its end.
  const sent = text === null ? [] : [marked(isHttpRequest(request) ? text : text.replace(/\n$/, ''))];
  const time = inMs(timing.durationMs);
  if (exchange.kind === 'unanswered') {
    const reason = visible(shorten(exchange.reason.message));
    return { words: `${requestWords(exchange)}: no answer, ${time}`, parts: [...sent, reason] };
  }
  const received =
    exchange.kind === 'heard'
      ? exchange.heard.map((line) => bodyText(line.bytes))
      : [headerLines(exchange.response.headers).join('\n'), bodyText(exchange.response.body)];
  return { words: `${answeredWords(exchange)}, ${time}`, parts: [...sent, ...received] };
}

function bodyText(body: SentBody): string {
  if ('parts' in body)
    return body.parts
      .map((part) => `${bodyText(part)}${part.times > 1 ? ` (${part.times} times)` : ''}`)
      .join('\n');
  return 'text' in body ? visibleLines(shorten(body.text, MAX_CHARACTERS)) : NOT_TEXT;
}
