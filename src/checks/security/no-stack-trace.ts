import { isJsonObject, type Json, jsonOrNull, ownProperty, shorten } from '../../json/json.ts';
import type { Answer, AnsweredExchange, Header } from '../../model/exchange.ts';
import { type Finding, failed, passed, undecided } from '../../model/judgement.ts';
import { bufferFrom, sentBytes } from '../../model/sent.ts';
import { decodedPart } from '../../text/parse-url.ts';
import { isMessage, toolOutcome } from '../../wires/mcp/answer.ts';
import { type Asked, cannotJudge, defineCheck } from '../define-check.ts';
import { NO_ANSWER } from '../json/answers.ts';
import { jsonBody } from '../json/json-body.ts';
import { shownText, sourcePathIn, stackTraceIn } from './stack-traces.ts';

export const noStackTrace = defineCheck(
  'step',
  'no-stack-trace',
  'no answer carries a stack trace, and no error carries a source path of the server',
  ({ asked, targetUrl }) => {
    const answers = asked.filter(({ exchange }) => exchange.kind !== 'unanswered');
    if (answers.length === 0) return cannotJudge('no-answer');
    const findings = answers.flatMap((answer) => traceIn(answer, targetUrl));
    if (findings.length > 0) return findings;
    const isReadable = ({ exchange }: Asked): boolean =>
      exchange.kind !== 'answered' || exchange.response.bodyProblem === undefined;
    if (answers.some(isReadable)) return passed;
    return undecided({
      message: 'no answer has a body that could be read',
      expected: 'a readable body',
      received: 'none',
      fault: 'server',
    });
  },
  NO_ANSWER,
);

function traceIn({ exchange, call }: Asked, targetUrl: string): readonly Finding[] {
  if (exchange.kind === 'unanswered') return [];
  if (exchange.kind === 'heard' || isMessage(exchange)) return traceInMessage(exchange);
  const { value } = jsonBody(exchange);
  // Some servers put an error that is null or empty into every answer.
  const isError = exchange.response.status >= 400 || Boolean(ownProperty(value, 'error'));
  const isResult = !isError && (call !== null || exchange.request.url === `${targetUrl}/execute`);
  const { texts, paths } = textsOf(exchange, isError ? value : withoutData(value, isResult));
  const where = `an answer with status ${exchange.response.status}`;
  return leaked(where, exchange, texts, isError ? paths : [], textsSent(exchange));
}

/** Errors, and results with isError: what a tool returns otherwise may be any text. */
function traceInMessage(answer: Answer): readonly Finding[] {
  const outcome = toolOutcome(answer);
  if (outcome.kind !== 'refused') return [];
  const { value } = jsonBody(answer);
  const texts = textsIn(ownProperty(value, 'error') ?? ownProperty(value, 'result') ?? null);
  const sent = sentBytes(answer.request);
  const sentTexts =
    sent === null || 'parts' in sent ? [] : textsIn(jsonOrNull(bufferFrom(sent).toString('utf8')));
  const where = outcome.by === 'tool' ? 'a result with isError' : 'an error';
  return leaked(where, answer, texts, texts, sentTexts);
}

/** The first stack trace, or else the first path; what the request itself sent is not a leak. */
function leaked(
  where: string,
  { request }: Answer,
  texts: readonly string[],
  paths: readonly string[],
  sent: readonly string[],
): readonly Finding[] {
  const isServers = (found: string): boolean => !sent.some((text) => text.includes(found));
  const trace = firstIn(texts, (text) => stackTraceIn(text, isServers));
  const found = trace ?? firstIn(paths, (text) => sourcePathIn(text, isServers));
  if (found === null) return [];
  return [
    failed({
      message: `${where} carries ${trace === null ? 'a path of the server’s source' : 'a stack trace of the server'}`,
      expected: 'a message for the caller, without internals',
      received: JSON.stringify(shorten(found)),
      exchangeKey: request.key,
    }),
  ];
}

function firstIn(texts: readonly string[], find: (text: string) => string | null): string | null {
  for (const text of texts) {
    const found = find(text);
    if (found !== null) return found;
  }
  return null;
}

/** The answer without results of functions and without descriptors, which may contain any text. */
function withoutData(value: Json | undefined, isResult: boolean): Json | undefined {
  if (!isJsonObject(value)) return value;
  const data = isResult ? ['output', 'result'] : ['functions'];
  return Object.fromEntries(Object.entries(value).filter(([key]) => !data.includes(key)));
}

const MAX_CHARACTERS = 1_000_000;

/** Headers whose values are addresses and paths of the site, not of the machine. */
const OF_ADDRESSES =
  /^(?:location|content-location|link|refresh|sourcemap|x-sourcemap|set-cookie|alt-svc|report-to|reporting-endpoints|content-security-policy(?:-report-only)?)$/;

interface Texts {
  /** Texts that may contain a stack trace. */
  readonly texts: readonly string[];
  /** Texts in which a path may be one of the machine. */
  readonly paths: readonly string[];
}

function textsOf({ response }: AnsweredExchange, value: Json | undefined): Texts {
  const valuesOf = (headers: readonly Header[]): readonly string[] => headers.map(([, text]) => text);
  const ofMachine = response.headers.filter(([name]) => !OF_ADDRESSES.test(name.toLowerCase()));
  if (value !== undefined) {
    const own = textsIn(value);
    return { texts: [...valuesOf(response.headers), ...own], paths: [...valuesOf(ofMachine), ...own] };
  }
  const body = bufferFrom(response.body).toString('latin1').slice(0, MAX_CHARACTERS);
  const shown = shownText(body);
  return { texts: [...valuesOf(response.headers), body, shown], paths: [...valuesOf(ofMachine), shown] };
}

/** The texts in a value, up to MAX_CHARACTERS in all. */
function textsIn(value: Json): readonly string[] {
  const texts: string[] = [];
  const pending: Json[] = [value];
  let characters = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      texts.push(next.slice(0, MAX_CHARACTERS - characters));
      characters += next.length;
      if (characters >= MAX_CHARACTERS) return texts;
    } else if (typeof next === 'object' && next !== null) {
      // Keys may leak as well as values.
      for (const [key, inner] of Object.entries(next)) pending.push(inner, key);
    }
  }
  return texts;
}

/** Everything that a request sent, as written and decoded. */
function textsSent({ request: { url, body } }: AnsweredExchange): readonly string[] {
  const address = [url, decodedPart(url) ?? url];
  if (body === null || 'parts' in body) return address;
  const text = bufferFrom(body).toString('utf8');
  return [...address, text, ...textsIn(jsonOrNull(text))];
}
