import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { stringifyExactly } from '../../json/exact-json.ts';
import { pointerSteps, shorten } from '../../json/json.ts';
import { visible, visibleLines } from '../../json/visible.ts';
import {
  type Answer,
  type Bytes,
  type Exchange,
  type Header,
  isAnswer,
  type SentBody,
} from '../../model/exchange.ts';
import type { JudgedPlace } from '../../model/judgement.ts';
import type { TestResult } from '../../model/report.ts';
import {
  bufferFrom,
  bytesFrom,
  isHttpRequest,
  methodAndPlace,
  sentBytes,
  sentJson,
} from '../../model/sent.ts';
import { answeringMessage, isMessage } from '../../wires/mcp/answer.ts';
import { meaningOf } from '../answer-words.ts';
import { type CauseView, pathOf } from './causes.ts';
import { inMs } from './figures.ts';

export type AnswerView = ReturnType<typeof answerView>;

type Place = Pick<JudgedPlace, 'exchange'> & { readonly pointer?: string };

/** The same for the place as recorded and as shown. */
export function answerKey({ exchange = '', pointer = '' }: Place): string {
  return visible(`${exchange} ${pointer}`);
}

/** Of the first finding of each requirement of each cause: more would make a page of many findings large. Pure. */
export function answersOf(
  causes: readonly CauseView[],
  { findings, exchanges }: Pick<TestResult, 'findings' | 'exchanges'>,
): ReadonlyMap<string, AnswerView> {
  const places = new Map(findings.map(({ where }) => [answerKey(where), where]));
  const byKey = new Map(exchanges.map((exchange) => [exchange.request.key, exchange]));
  const wanted = causes
    .flatMap(({ main, also }) => [main, ...also])
    .flatMap(({ findings: [first] }) => (first === undefined ? [] : answerKey(first.where)));
  return new Map(
    [...new Set(wanted)].slice(0, MAX_ANSWERS).flatMap((key): readonly [string, AnswerView][] => {
      const place = places.get(key);
      const exchange = byKey.get(place?.exchange ?? '');
      return exchange !== undefined && isAnswer(exchange)
        ? [[key, answerView(exchange, place?.pointer)]]
        : [];
    }),
  );
}

const MAX_ANSWERS = 100;
const MAX_HEADERS = 20;
/** Before and after the marked place. */
const MAX_AROUND = 300;
const MAX_MARKED = 200;
const MAX_SENT = 2000;
const MAX_REPLIES = 5;
const MAX_REPLY = 300;
/** Longer bodies are shown from their start. */
const MAX_SEARCHED = 1_000_000;

/** The answer that a finding is about, shortened. The words are such as `POST /execute: status 200, 2.560 ms`. */
function answerView(answer: Answer, pointer: string | undefined) {
  return {
    words: visible(shorten(`${answeredWords(answer)}, ${inMs(answer.timing.durationMs)}`)),
    // The message that it answers, a line for each member, and what the client answered before; empty for other requests.
    sent: isMessage(answer) ? [messageText(answer), ...replyLines(answer)].join('\n') : '',
    headers: answer.kind === 'heard' ? [] : headerLines(answer.response.headers),
    ...(isMessage(answer) ? messageExcerpt(answer, pointer) : excerptOf(bytesOf(answer), pointer)),
  };
}

/** `GET /health`, or `tools/list (main)` with the name of the conversation. */
function requestWords({ request }: Pick<Exchange, 'request'>): string {
  const { method, place, isUrl } = methodAndPlace(request);
  return visible(shorten(isUrl ? `${method} ${pathOf(place)}` : `${method} (${place})`));
}

/** `POST /execute: status 200`, `tools/call (main): result`. */
function answeredWords(answer: Answer): string {
  return `${requestWords(answer)}: ${visible(shorten(meaningOf(answer).words))}`;
}

const NOT_TEXT = '(bytes that are not UTF-8)';

function headerLines(headers: readonly Header[]): readonly string[] {
  return headers.slice(0, MAX_HEADERS).map(([name, value]) => visible(shorten(`${name}: ${value}`)));
}

function messageText({ request }: Answer): string {
  const value = sentJson(request);
  return value === undefined ? '' : marked(visibleLines(shorten(stringifyExactly(value, 2), MAX_SENT)));
}

/** What the server asked meanwhile is in its answer, or was written before it. */
function replyLines({ replies = [] }: Answer): readonly string[] {
  return replies.slice(0, MAX_REPLIES).map(({ answer }) => marked(visible(shorten(answer, MAX_REPLY))));
}

/** As curl marks what it sends. */
function marked(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A finding about a message points into it, whatever came before it. */
function messageExcerpt(answer: Answer, pointer: string | undefined): Excerpt {
  const found = answeringMessage(answer);
  if (found === undefined || pointer === undefined) return excerptOf(bytesOf(answer), undefined);
  return excerptOf(bytesFrom(found.bytes), `${found.pointer}${pointer}`);
}

/** All that came. */
function bytesOf(answer: Answer): Bytes {
  if (answer.kind === 'answered') return answer.response.body;
  return bytesFrom(Buffer.concat(answer.heard.flatMap(({ bytes }) => [bufferFrom(bytes), LINE_END])));
}

const LINE_END = Buffer.from('\n');

function excerptOf(bytes: Bytes, pointer: string | undefined): Excerpt {
  return 'text' in bytes ? excerpt(bytes.text, pointer) : whole(NOT_TEXT);
}

/** A body around the place that a finding is about, which is empty if that is the whole body. */
interface Excerpt {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

function excerpt(text: string, pointer: string | undefined): Excerpt {
  const isPart = pointer !== undefined && pointer !== '' && text.length <= MAX_SEARCHED;
  const range = isPart ? pointedRange(text, pointer) : null;
  if (range === null) return whole(text);
  const [start, end] = range;
  const before = text.slice(Math.max(0, start - MAX_AROUND), start);
  return {
    before: visibleLines(start > MAX_AROUND ? `…${before}` : before),
    marked: visible(shorten(text.slice(start, end), MAX_MARKED)),
    after: visibleLines(shorten(text.slice(end), MAX_AROUND)),
  };
}

function whole(text: string): Excerpt {
  return { before: '', marked: '', after: visibleLines(shorten(text, 2 * MAX_AROUND)) };
}

/** Where the value of a JSON pointer is in the text; null if the text is not JSON or has no such value. Pure. */
export function pointedRange(text: string, pointer: string): readonly [start: number, end: number] | null {
  let node: Node | undefined;
  try {
    // The parser below reads what is not JSON, too.
    JSON.parse(text);
    node = parseTree(text);
  } catch {
    return null;
  }
  for (const step of pointerSteps(pointer))
    node = node && findNodeAtLocation(node, [node.type === 'array' ? Number(step) : step]);
  return node === undefined ? null : [node.offset, node.offset + node.length];
}

export type ExchangeView = ReturnType<typeof exchangeView>;

export type DecidingExchange = NonNullable<ReturnType<typeof decidingExchanges>['deciding'][number]>;

/** A server with hundreds of functions would make the page large. */
const MAX_EXCHANGES = 200;
const MAX_BODY_CHARACTERS = 200;

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
  return 'text' in body ? visibleLines(shorten(body.text, MAX_BODY_CHARACTERS)) : NOT_TEXT;
}
