import { stringifyExactly } from '../json/exact-json.ts';
import { escapeLive } from '../json/visible.ts';
import { requireArguments } from '../model/arguments.ts';
import type { Exchange } from '../model/exchange.ts';
import { RESULT, type TestResult } from '../model/report.ts';

/**
 * A result as the text of its file. Pure.
 *
 * @throws OptionError when it is not a test result
 */
export function serialiseReport(result: TestResult): string {
  requireArguments('serialiseReport', { result }, { result: RESULT });
  return [...reportPieces(result)].join('');
}

/**
 * The same in pieces, one for each exchange, because a report of large answers as one text and as bytes takes several
 * times its size in memory.
 */
export function* reportPieces(result: TestResult): Generator<string> {
  const { exchanges, ...rest } = result;
  const head = stringifyExactly({ ...rest, exchanges: [] }, 2);
  const end = '[]\n}';
  yield escapeLive(exchanges.length === 0 ? head : `${head.slice(0, -end.length)}[`);
  for (const [index, exchange] of exchanges.entries()) {
    yield `${index === 0 ? '' : ','}\n    `;
    yield* exchangePieces(exchange);
  }
  yield exchanges.length === 0 ? '\n' : '\n  ]\n}\n';
}

/** Long texts are escaped in slices, because each step over the whole text would need another copy. */
const SLICE_CHARACTERS = 64 * 1024;
const LARGE_TEXT = '<the text of the body>';

function* exchangePieces(exchange: Exchange): Generator<string> {
  const large = largeText(exchange);
  const head = JSON.stringify(
    exchange,
    (key, value) => (key === 'text' && value === large ? LARGE_TEXT : value),
    2,
  );
  const [before = '', after, ...more] =
    large === null ? [head] : head.split(JSON.stringify(LARGE_TEXT).slice(1, -1));
  if (large === null || after === undefined || more.length > 0)
    return yield escapeLive(indented(large === null ? head : JSON.stringify(exchange, null, 2)));
  yield escapeLive(indented(before));
  for (const slice of slices(large)) yield escapeLive(JSON.stringify(slice).slice(1, -1));
  yield escapeLive(indented(after));
}

function largeText(exchange: Exchange): string | null {
  const received =
    exchange.kind === 'answered'
      ? [exchange.response.body]
      : (exchange.heard ?? []).map(({ bytes }) => bytes);
  const [first = null] = received.flatMap((bytes) =>
    'text' in bytes && bytes.text.length > SLICE_CHARACTERS ? [bytes.text] : [],
  );
  return first;
}

function indented(json: string): string {
  return json.replaceAll('\n', '\n    ');
}

/** No slice ends inside a surrogate pair. */
function* slices(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const to = from + SLICE_CHARACTERS;
    const end = /[\uD800-\uDBFF]/.test(text.charAt(to - 1)) ? to + 1 : to;
    yield text.slice(from, end);
    from = end;
  }
}
