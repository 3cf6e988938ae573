import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Exchange } from '../model/exchange.ts';
import type { TestResult } from '../model/report.ts';
import { escapeLive } from './visible.ts';

/** Writes a report as JSON below a folder, whole or not at all, and returns the file's path. */
export async function storeReport(result: TestResult, folder: string): Promise<string> {
  await prepareFolder(folder);
  return writeWhole(path.join(folder, reportFileName(result)), reportPieces(result));
}

/** Makes the folder if need be, and rejects if nothing can be written to it: better before a run than after it. */
export async function prepareFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  await access(folder, constants.W_OK);
}

/** Step by step: the recursive mkdir of Node never ends where a file system says that a parent is not there when it is. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as { code?: string };
    const parent = path.dirname(folder);
    if (code === 'ENOENT' && parent !== folder) {
      await makeFolder(parent);
      await mkdir(folder);
    } else if (code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  }
}

export function serialiseReport(result: TestResult): string {
  return [...reportPieces(result)].join('');
}

/**
 * The same in pieces, one for each exchange: a report of large answers, as one text and once more as bytes, would take
 * several times its size.
 */
export function* reportPieces(result: TestResult): Generator<string> {
  const { exchanges, ...rest } = result;
  const head = JSON.stringify({ ...rest, exchanges: [] }, null, 2);
  const end = '[]\n}';
  yield escapeLive(exchanges.length === 0 ? head : `${head.slice(0, -end.length)}[`);
  for (const [index, exchange] of exchanges.entries()) {
    yield `${index === 0 ? '' : ','}\n    `;
    yield* exchangePieces(exchange);
  }
  yield exchanges.length === 0 ? '\n' : '\n  ]\n}\n';
}

/** A text of megabytes is escaped a slice at a time: each step over the whole of it would hold another copy. */
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
  if (exchange.kind === 'unanswered' || !('text' in exchange.response.body)) return null;
  const { text } = exchange.response.body;
  return text.length > SLICE_CHARACTERS ? text : null;
}

function indented(json: string): string {
  return json.replaceAll('\n', '\n    ');
}

/** None of them ends between the halves of a character. */
function* slices(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const to = from + SLICE_CHARACTERS;
    const end = /[\uD800-\uDBFF]/.test(text.charAt(to - 1)) ? to + 1 : to;
    yield text.slice(from, end);
    from = end;
  }
}

/** Writes to a temporary file beside the target first, so that a reader never sees half a file. */
export async function writeWhole(file: string, pieces: Iterable<string>): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, pieces, { flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return file;
}

/** `2026-01-31T12-00-00Z-127.0.0.1-3000-1f2e3d4c.json`: sorts by time, and holds nothing that a file system minds. */
function reportFileName({ startedAt, target, id }: TestResult): string {
  const time = startedAt.replaceAll(':', '-').replace(/\.\d+Z$/, 'Z');
  const host = new URL(target.url).host
    .replaceAll(/[^A-Za-z0-9.-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80);
  return `${time}-${host}-${id.slice(0, 8)}.json`;
}
