import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { checks } from '../checks/index.ts';
import type { Json } from '../model/json.ts';
import type { Suite } from '../model/suite.ts';
import { type Diagnostic, SuiteError } from './diagnostic.ts';
import { parseSuites, type SuiteSource } from './parse-suites.ts';
import { packageRoot } from './product-files.ts';
import { parseRegistry, type Registry } from './registry.ts';
import type { Catalogue } from './resolve-context.ts';
import { schemaProblem } from './schema-problem.ts';
import { MAX_FILE_BYTES } from './yaml-tree.ts';

export interface LoadedSuites {
  readonly suites: readonly Suite[];
  readonly registry: Registry;
}

/** Loads the product's own suites, and then those of a user. Throws a SuiteError with all that is wrong. */
export function loadSuites(files: readonly string[] = []): LoadedSuites {
  const registry = loadRegistry();
  const catalogue: Catalogue = { registry, checks, schemaProblem: (schema: Json) => schemaProblem(schema) };
  const sources = [...productSuiteFiles(), ...files.map((file) => ({ file, shown: file }))].map(
    ({ file, shown }) => readSource(file, shown),
  );
  return { suites: parseSuites(sources, catalogue), registry };
}

export function loadRegistry(): Registry {
  const { file, text } = readSource(
    path.join(packageRoot(), 'suites', 'requirements.yaml'),
    'suites/requirements.yaml',
  );
  return parseRegistry(text, file);
}

/** The product's suites with the names under which reports show them, wherever the package is installed. */
export function productSuiteFiles(): readonly { readonly file: string; readonly shown: string }[] {
  const folder = path.join(packageRoot(), 'suites', 'server');
  const names = readdirSync(folder).filter((name) => name.endsWith('.suite.yaml'));
  // In the order in which a newcomer reads the contract, which is also that of the registry.
  const order = ['health', 'capabilities', 'documentation', 'execute', 'errors'];
  const rank = (name: string): number =>
    (order.indexOf(name.split('.', 1)[0] ?? '') + order.length + 1) % (order.length + 1);
  return names
    .sort((left, right) => rank(left) - rank(right) || left.localeCompare(right))
    .map((name) => ({ file: path.join(folder, name), shown: `suites/server/${name}` }));
}

/** Reads a text file as UTF-8; what cannot be read is a diagnostic like any other. */
export function readSource(file: string, shown = file): SuiteSource {
  const refuse = (code: Diagnostic['code'], message: string, suggestion: string): never => {
    throw new SuiteError(
      [{ code, file: shown, place: { line: 1, column: 1, length: 1 }, message, suggestion }],
      new Map(),
    );
  };
  let bytes: Buffer;
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE_BYTES)
      refuse(
        'file-too-large',
        `the file holds ${size} bytes, more than ${MAX_FILE_BYTES}`,
        'Split it into several files.',
      );
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof SuiteError) throw error;
    const { code } = error as { code?: string };
    const why =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a folder'
          : String(code ?? error);
    return refuse('unreadable-file', `cannot read the file: ${why}`, 'Check the path.');
  }
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    refuse('not-utf8', 'the file is not valid UTF-8', 'Save it as UTF-8.');
  }
  return { file: shown, text, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}
