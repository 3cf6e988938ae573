// Apart from what renders and stores reports, so that a check can refuse flags without loading it.
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FormatName } from '../../check/render/render-format.ts';
import { UsageError } from '../../command-line/exit-codes.ts';

/** Formats in addition to the stored result, and where to write them. */
export interface FormatFlags {
  readonly format?: readonly FormatName[];
  /** A file for one format; a folder for several, or if it exists or ends in `/`; `-` for standard output. */
  readonly output?: string;
}

export interface StoreFlags {
  readonly reports: string;
  readonly keep: number;
  /** False with --no-store. */
  readonly store: boolean;
}

export interface DetailFlags {
  readonly verbose?: boolean;
  readonly quiet?: boolean;
}

/** Throws before the first request if these flags contradict each other. */
export function refuseFormatFlags({ format = [], output }: FormatFlags, json: boolean): void {
  if (output !== undefined && format.length === 0)
    throw new UsageError('--output needs a format: add one with --format, such as --format html.');
  if (output === '-' && format.length > 1)
    throw new UsageError(
      '--output - prints a single format: select one with --format, or use a folder with --output.',
    );
  if (output === '-' && json)
    throw new UsageError('--json and --output - both print to standard output: remove one of the two.');
}

/** Throws before the first request if a format would have no place. */
export function refuseStoreFlags({ store, format = [], output }: StoreFlags & FormatFlags): void {
  const [needing] = format.filter((name) => name !== 'github');
  if (!store && needing !== undefined && output === undefined)
    throw new UsageError(
      `--no-store writes no report, beside which --format ${needing} would be written: name a file with --output.`,
    );
}

/** Throws before the first request if these flags contradict each other. */
export function refuseDetailFlags({ verbose, quiet }: DetailFlags): void {
  if (verbose === true && quiet === true)
    throw new UsageError('--verbose and --quiet contradict each other: remove one of the two.');
}

/** Throws before the first request if a file, or a folder that exists, cannot be written. Creates nothing. */
export async function refuseUnwritable(flag: '--output' | '--profile', file: string): Promise<void> {
  const kind = await kindOf(file);
  const problem =
    kind === 'folder' && flag === '--profile'
      ? 'it is a folder'
      : await whyUnwritable(kind === 'folder' ? file : path.dirname(path.resolve(file)));
  if (problem !== null)
    throw new UsageError(`Cannot write ${file}: ${problem}. Choose another file with ${flag}.`);
}

/** Folders that are missing are made when the file is written. */
async function whyUnwritable(folder: string): Promise<string | null> {
  const kind = await kindOf(folder);
  if (kind === 'file') return `${folder} is not a folder`;
  if (kind === null && folder !== path.dirname(folder)) return whyUnwritable(path.dirname(folder));
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

/** Null for what does not exist, and for what is below a file. */
function kindOf(file: string): Promise<'file' | 'folder' | null> {
  return stat(file).then(
    (found) => (found.isDirectory() ? 'folder' : 'file'),
    () => null,
  );
}
