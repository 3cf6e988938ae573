import { readFile, statfs } from 'node:fs/promises';
import { commandOn } from './command-on.ts';
import { StoreError } from './schema.ts';

const LOOK_EVERY_MS = 2000;
/** The database needs a few megabytes to write what it has in memory. */
const MIN_FREE_BYTES = 4 * 1024 * 1024;

export interface FolderWatch {
  /** Resolves when the folder can no longer be used. */
  readonly failed: Promise<Error>;
  end(): void;
}

/**
 * Looks whether the data folder is still there and its disk has space. The database keeps its files open and its thread
 * would go on without them, or without an answer.
 */
export function watchDataFolder(
  folder: string,
  lock: { readonly file: string; readonly text: string },
): FolderWatch {
  let timer: NodeJS.Timeout | undefined;
  const failed = new Promise<Error>((resolve) => {
    const look = async (): Promise<void> => {
      const problem = (await isOurs(lock)) ? await spaceProblem(folder) : GONE;
      if (problem === null) return;
      clearInterval(timer);
      resolve(new StoreError(`${problem(folder)} The directory has ended.`));
    };
    timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  });
  return { failed, end: () => clearInterval(timer) };
}

type Words = (folder: string) => string;

const GONE: Words = (folder) =>
  `The data folder ${folder} was removed or replaced while the directory used it. Put it back, or restore a backup into it with \`${commandOn('restore FILE', { databaseUrl: null, dataFolder: folder })}\`, and start again.`;

const FULL: Words = (folder) =>
  `The disk of the data folder ${folder} is full, so that nothing can be stored. Free some space, and start again.`;

async function isOurs({ file, text }: { readonly file: string; readonly text: string }): Promise<boolean> {
  try {
    return (await readFile(file, 'utf8')) === text;
  } catch (error) {
    // Too many open files, for example, say nothing about the folder.
    return !/^(?:ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}

async function spaceProblem(folder: string): Promise<Words | null> {
  const space = await statfs(folder).catch(() => null);
  return space !== null && space.bavail * space.bsize < MIN_FREE_BYTES ? FULL : null;
}
