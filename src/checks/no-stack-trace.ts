import { bufferFrom } from '../model/bytes.ts';
import type { AnsweredExchange } from '../model/exchange.ts';
import { isJsonObject, type Json, ownProperty, shorten } from '../model/json.ts';
import { blocked, type Finding, failed, passed } from '../model/judgement.ts';
import { type Asked, defineCheck } from './define-check.ts';
import { jsonBody } from './json-body.ts';
import { sourcePathIn, stackTraceIn } from './stack-traces.ts';

export const noStackTrace = defineCheck(
  'step',
  'no-stack-trace',
  'no answer carries a stack trace, and no error a source path of the server',
  ({ asked }) => {
    const answers = asked.filter(({ exchange }) => exchange.kind === 'answered');
    if (answers.length === 0) return blocked('health/reachable');
    const findings = answers.flatMap(traceIn);
    return findings.length === 0 ? passed : findings;
  },
);

function traceIn({ exchange, call }: Asked): readonly Finding[] {
  if (exchange.kind !== 'answered') return [];
  const { value } = jsonBody(exchange);
  const isError = exchange.response.status >= 400 || ownProperty(value, 'error') !== undefined;
  for (const text of textsOf(exchange, value, call !== null && !isError)) {
    const trace = stackTraceIn(text);
    if (trace !== null) return [findingOf(exchange, 'a stack trace of the server', trace)];
    const path = isError ? sourcePathIn(text) : null;
    // What the request itself said is not the server's to hide.
    if (path !== null && !wasSent(path, exchange))
      return [findingOf(exchange, 'a path of the server’s source', path)];
  }
  return [];
}

function findingOf({ request, response }: AnsweredExchange, what: string, found: string): Finding {
  return failed({
    message: `an answer with status ${response.status} carries ${what}`,
    expected: 'a message for the caller, and nothing of the inside',
    received: JSON.stringify(shorten(found)),
    exchangeKey: request.key,
  });
}

const MOST_CHARACTERS = 1_000_000;

/** Every text in an answer, but not what a function returned: that is the function's to say. */
function textsOf(exchange: AnsweredExchange, value: Json | undefined, isResult: boolean): readonly string[] {
  const headers = exchange.response.headers.map(([, text]) => text);
  if (value === undefined)
    return [...headers, bufferFrom(exchange.response.body).toString('latin1').slice(0, MOST_CHARACTERS)];
  const own =
    isResult && isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'output' && key !== 'result'))
      : value;
  return [...headers, ...textsIn(own)];
}

/** The texts in a value, as long as there is patience for more of them. */
function textsIn(value: Json): readonly string[] {
  const texts: string[] = [];
  const pending: Json[] = [value];
  let characters = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      texts.push(next.slice(0, MOST_CHARACTERS - characters));
      characters += next.length;
      if (characters >= MOST_CHARACTERS) return texts;
    } else if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next as Record<string, Json>)) pending.push(inner);
    }
  }
  return texts;
}

function wasSent(text: string, { request }: AnsweredExchange): boolean {
  if (request.url.includes(text)) return true;
  if (request.body === null) return false;
  return !('parts' in request.body) && bufferFrom(request.body).includes(text);
}
