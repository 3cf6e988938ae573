import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HEAD_START } from './export-lines.ts';
import { ImportError } from './import-directory.ts';

/** The longest line of an export is a row with the body of a result. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const LF = 0x0a;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Whether a file is an export, or a backup, of a directory; another one may have listings. */
export async function isExport(file: string): Promise<boolean> {
  const start = await startOf(file);
  if (start.subarray(0, GZIP.length).equals(GZIP)) return true;
  return start.toString('latin1').startsWith(HEAD_START);
}

async function startOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_START.length), 0, HEAD_START.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The lines of a file, compressed or not, one at a time in memory. Only LF ends a line. */
export async function* fileLines(file: string): AsyncGenerator<string> {
  const isCompressed = (await startOf(file)).subarray(0, GZIP.length).equals(GZIP);
  let number = 0;
  try {
    for await (const line of linesOf(isCompressed ? unzipped(file) : createReadStream(file))) {
      number += 1;
      yield line;
    }
  } catch (error) {
    if (!/^Z_/.test((error as { code?: string }).code ?? '')) throw error;
    throw new ImportError(
      `${file} is damaged or incomplete after line ${number} of the export in it. Nothing was imported. Use another copy of the file.`,
    );
  }
}

function unzipped(file: string): Readable {
  const gunzip = createGunzip();
  // The errors of both reach the reader of the second one.
  pipeline(createReadStream(file), gunzip, () => undefined);
  return gunzip;
}

async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      parts.push(chunk.subarray(from, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      from = end + 1;
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES)
      throw new ImportError(`A line of the file has more than ${MAX_LINE_BYTES} bytes, as no export has.`);
  }
  // Without its end, the last line is no line: something is missing.
  if (length > 0) yield Buffer.concat(parts).toString('utf8');
}
