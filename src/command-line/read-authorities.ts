import { readFile } from 'node:fs/promises';
import { UsageError } from './exit-codes.ts';

/** The certificates in a file of PEM. @throws UsageError when it cannot be read */
export async function readAuthorities(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    throw new UsageError(
      `--ca: cannot read ${file}: ${code === 'ENOENT' ? 'the file does not exist' : code}.`,
    );
  }
}
