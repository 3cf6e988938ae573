import { createReadStream } from 'node:fs';
import { requireArguments, required, textThatIs } from '../model/arguments.ts';
import type { ParsedListing } from '../model/listing.ts';
import {
  isLines,
  parseListing,
  parseListingLine,
  parseListings,
  type ReadListing,
} from './listing/parse-listing.ts';
import { readSource } from './read-source.ts';
import { type Diagnostic, SuiteError } from './yaml/diagnostic.ts';
import { MAX_FILE_BYTES } from './yaml/tree.ts';

/** Reads a file that holds one listing; throws a SuiteError with everything that is wrong with it. */
export function readListing(file: string): ParsedListing {
  return parseListing(readSource(file).text, file);
}

/**
 * Reads the listings of a file one after the other. A file of lines may have any length, because only one line is in
 * memory at a time; YAML documents are read completely. Throws a SuiteError if the file cannot be read.
 */
export async function* readListings(file: string): AsyncGenerator<ReadListing> {
  requireArguments('readListings', { file }, { file: required(textThatIs('the name of a file')) });
  if (!isLines(file)) return yield* parseListings(readSource(file).text, file);
  let line = 0;
  for await (const bytes of linesOf(file)) {
    line += 1;
    const read = readLine(bytes, line, file);
    if (read !== null) yield read;
  }
}

function readLine(bytes: Buffer | null, line: number, file: string): ReadListing | null {
  const refuse = (code: Diagnostic['code'], message: string, suggestion: string): ReadListing => {
    const place = { line, column: 1, length: 1 };
    const error = new SuiteError([{ code, file, place, message, suggestion }], new Map());
    return { kind: 'refused', line, error };
  };
  if (bytes === null) return refuse('file-too-large', TOO_LONG, 'Make it shorter.');
  try {
    return parseListingLine(UTF8.decode(bytes), line, file);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return refuse('not-utf8', 'the line is not valid UTF-8', 'Save it as UTF-8.');
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const TOO_LONG = `the line has more than ${MAX_FILE_BYTES} bytes`;
const LF = 0x0a;

/** The bytes of each line; null for one that is too long. */
async function* linesOf(file: string): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): Buffer | null => {
    const line = length > MAX_FILE_BYTES ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= MAX_FILE_BYTES) parts.push(part);
    else parts = [];
  };
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
        add(chunk.subarray(from, end));
        yield take();
        from = end + 1;
      }
      add(chunk.subarray(from));
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    // readSource reports a file problem in the same words as for other files.
    readSource(file);
    throw error;
  }
  if (length > 0) yield take();
}
