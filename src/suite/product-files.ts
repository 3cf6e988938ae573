import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TargetKind } from '../model/suite.ts';

let root: string | undefined;

/** The folder of the installed package: the nearest one above this module that holds the product's suites. */
export function packageRoot(): string {
  root ??= findRoot(path.dirname(fileURLToPath(import.meta.url)));
  return root;
}

function findRoot(start: string): string {
  let folder = start;
  while (!existsSync(path.join(folder, 'suites', 'requirements.yaml'))) {
    const parent = path.dirname(folder);
    if (parent === folder)
      throw new Error('the suites of the product are missing: install the package again');
    folder = parent;
  }
  return folder;
}

let version: string | undefined;

export function harnessVersion(): string {
  version ??= (
    JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string }
  ).version;
  return version;
}

/** A file of the product, with its name in reports, which does not depend on where the package is installed. */
export interface ProductFile {
  readonly file: string;
  readonly shown: string;
}

export function registryFile(): ProductFile {
  const shown = 'suites/requirements.yaml';
  return { file: path.join(packageRoot(), shown), shown };
}

/** The order of the suites in reports; suites that are not named here follow by name. */
const READING_ORDER = [
  'health capabilities documentation execute errors robustness security transport inputs performance contract',
  'directory-search directory-filters directory-entries directory-access',
  'mcp-client mcp-session mcp-tools mcp-hints mcp-prompts mcp-resources mcp-utilities mcp-http mcp-stateless',
  'mcp-authorization mcp-contract',
].flatMap((names) => names.split(' '));

export function productSuiteFiles(kind: TargetKind): readonly ProductFile[] {
  const folder = `suites/${kind}`;
  const rank = (name: string): number => {
    const index = READING_ORDER.indexOf(name.split('.', 1)[0] ?? '');
    return index === -1 ? READING_ORDER.length : index;
  };
  return readdirSync(path.join(packageRoot(), folder))
    .filter((name) => name.endsWith('.suite.yaml'))
    .sort((left, right) => rank(left) - rank(right) || left.localeCompare(right))
    .map((name) => ({ file: path.join(packageRoot(), folder, name), shown: `${folder}/${name}` }));
}
