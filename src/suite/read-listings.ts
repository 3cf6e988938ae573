import { createReadStream } from 'node:fs';
import { requireArguments, required, textThatIs } from '../model/arguments.ts';
import type { ParsedListing } from '../model/listing.ts';
import { type Diagnostic, SuiteError } from './diagnostic.ts';
import { isLines, parseListing, parseListingLine, parseListings, type ReadListing } from './parse-listing.ts';
import { readSource } from './read-source.ts';
import { MAX_FILE_BYTES } from './tree.ts';

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
  for await (const { bytes, tooLong } of linesOf(file)) {
    line += 1;
    const read = tooLong ? refuse('file-too-large', TOO_LONG, 'Make it shorter.') : parseBytes(bytes);
    if (read !== null) yield read;
  }

  function parseBytes(bytes: Buffer): ReadListing | null {
    try {
      return parseListingLine(UTF8.decode(bytes), line, file);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return refuse('not-utf8', 'the line is not valid UTF-8', 'Save it as UTF-8.');
    }
  }

  function refuse(code: Diagnostic['code'], message: string, suggestion: string): ReadListing {
    const place = { line, column: 1, length: 1 };
    return {
      kind: 'refused',
      line,
      error: new SuiteError([{ code, file, place, message, suggestion }], new Map()),
    };
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const TOO_LONG = `the line has more than ${MAX_FILE_BYTES} bytes`;
const LF = 0x0a;

interface Line {
  readonly bytes: Buffer;
  /** The line is too long; its bytes were dropped. */
  readonly tooLong: boolean;
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): Line => {
    const line = { bytes: Buffer.concat(parts), tooLong: length > MAX_FILE_BYTES };
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
