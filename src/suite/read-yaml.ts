import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { checks } from '../checks/index.ts';
import { choices } from '../choices/index.ts';
import type { Suite, TargetKind } from '../model/suite.ts';
import { type Diagnostic, SuiteError } from './diagnostic.ts';
import { parseSuites, type SuiteSource } from './parse-suites.ts';
import { productSuiteFiles, registryFile } from './product-files.ts';
import { parseRegistry, type Registry } from './registry.ts';
import { schemaProblem } from './schema-problem.ts';
import { MAX_FILE_BYTES } from './yaml-tree.ts';

/** Reads the product's own registry and suites from their YAML. */
export function parseProduct(kind: TargetKind): {
  readonly suites: readonly Suite[];
  readonly registry: Registry;
} {
  const { file, shown } = registryFile();
  const registry = parseRegistry(readSource(file, shown).text, shown);
  return { suites: parseProductSuites(kind, registry), registry };
}

export function parseProductSuites(kind: TargetKind, registry: Registry): readonly Suite[] {
  const sources = productSuiteFiles(kind).map(({ file, shown }) => readSource(file, shown));
  return parseSuites(sources, { registry, checks, choices, schemaProblem });
}

export function parseUserSuites(
  files: readonly string[],
  registry: Registry,
  known: readonly Suite[],
): readonly Suite[] {
  return parseSuites(
    files.map((file) => readSource(file)),
    { registry, checks, choices, schemaProblem },
    known,
  );
}

/** Reads a text file as UTF-8; what cannot be read is a diagnostic like any other. */
export function readSource(file: string, shown = file): SuiteSource {
  const refuse = (code: Diagnostic['code'], message: string, suggestion: string): never => {
    const place = { line: 1, column: 1, length: 1 };
    throw new SuiteError([{ code, file: shown, place, message, suggestion }], new Map());
  };
  let bytes: Buffer;
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE_BYTES) {
      refuse(
        'file-too-large',
        `the file holds ${size} bytes, more than ${MAX_FILE_BYTES}`,
        'Split it into several files.',
      );
    }
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof SuiteError) throw error;
    return refuse('unreadable-file', `cannot read the file: ${reasonOf(error)}`, 'Check the path.');
  }
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    refuse('not-utf8', 'the file is not valid UTF-8', 'Save it as UTF-8.');
  }
  return { file: shown, text, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: string };
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'EISDIR' ? 'it is a folder' : String(code ?? error);
}
