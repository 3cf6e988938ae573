import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the installed package: the nearest one above this module that holds the product's suites. */
export function packageRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'suites', 'requirements.yaml'))) {
    const parent = path.dirname(folder);
    if (parent === folder)
      throw new Error('the suites of the product are missing: install the package again');
    folder = parent;
  }
  return folder;
}

export function harnessVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
