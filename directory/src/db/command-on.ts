import path from 'node:path';
import { shellWord } from '../settings/shell-word.ts';

/** Where a store is: that of `databaseUrl`, or without one the embedded database in the folder. */
export interface StorePlace {
  readonly databaseUrl: string | null;
  readonly dataFolder: string;
}

/** A command on the same store, complete, so that it works wherever it is pasted. */
export function commandOn(words: string, { databaseUrl, dataFolder }: StorePlace): string {
  const where = databaseUrl === null ? ` --data ${shellWord(path.resolve(dataFolder))}` : '';
  return `probity directory ${words}${where}`;
}
