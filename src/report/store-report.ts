import { createHash, randomBytes } from 'node:crypto';
import { access, constants, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { requireArguments, required, text } from '../model/arguments.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import { parseUrl } from '../text/parse-url.ts';
import { reportPieces } from './serialise-report.ts';

/**
 * Writes a report as JSON into a folder, completely or not at all, and returns the file's path.
 *
 * @throws OptionError when an argument is of the wrong kind, and the error of the file system when it cannot be written
 */
export async function storeReport(result: TestResult, folder: string): Promise<string> {
  requireArguments('storeReport', { result, folder }, { result: RESULT, folder: required(text) });
  await prepareFolder(folder);
  return writeWhole(path.join(folder, reportFileName(result)), reportPieces(result));
}

/** Creates the folder if necessary, and rejects if it is not writable. Called before a run, to fail early. */
export async function prepareFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  await access(folder, constants.W_OK);
}

/** Step by step, because Node's recursive mkdir never ends if a file system reports an existing parent as missing. */
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

/** Writes to a temporary file beside the target first, so that a reader never sees an incomplete file. */
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

/** `2026-01-31T12-00-00Z-127.0.0.1-3000-1f2e3d4c.json`: sorts by time, and is valid on every file system. */
export function reportFileName(result: TestResult): string {
  const time = result.startedAt.replace(/\.\d+Z$/, 'Z');
  return `${inFileName(time, 40)}-${seriesName(result)}-${inFileName(result.id, 8)}.json`;
}

/** The part of the name that all reports of a target have in common, and no others: loads have their own. */
export function seriesName(result: Pick<TestResult, 'target' | 'settings' | 'bench'>): string {
  const { url } = result.target;
  const { targetName } = result.settings;
  const host = inFileName(parseUrl(url)?.host ?? url, 80);
  const address = PLAIN_ADDRESS.test(url)
    ? host
    : `${host}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}`;
  const name = targetName === undefined ? address : `${inFileName(targetName, 64)}-${address}`;
  return result.bench === undefined ? name : `${name}-bench`;
}

/** The host says all of such an address. Others could get the same name, because parts of them are lost. */
const PLAIN_ADDRESS = /^(?:https:\/\/[a-z0-9.-]{1,60}(?::\d+)?|http:\/\/[a-z0-9.-]{1,60}:\d+)\/?$/;

/** The result never leads to another folder. */
function inFileName(text: string, maxCharacters: number): string {
  return text
    .replaceAll(/[^A-Za-z0-9.-]+/g, '-')
    .replaceAll(/^[.-]+|-+$/g, '')
    .slice(0, maxCharacters);
}
