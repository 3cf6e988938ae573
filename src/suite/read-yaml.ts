import { checks } from '../generated/checks.ts';
import { SUITES_FOR, type Suite, type TargetKind } from '../model/suite.ts';
import { pickers } from '../pickers/index.ts';
import { parseSuites } from './language/parse-suites.ts';
import { parseRegistry, type Registry } from './language/registry.ts';
import { productSuiteFiles, registryFile } from './product-files.ts';
import { readSource } from './read-source.ts';
import { schemaProblem } from './yaml/schema-problem.ts';

export interface LoadedSuites {
  readonly suites: readonly Suite[];
  readonly registry: Registry;
}

/** Reads the product's own registry and suites from their YAML. */
export function parseProduct(kind: TargetKind): LoadedSuites {
  const { file, shown } = registryFile();
  const registry = parseRegistry(readSource(file, shown).text, shown);
  return { suites: parseProductSuites(kind, registry), registry };
}

export function parseProductSuites(kind: TargetKind, registry: Registry): readonly Suite[] {
  const sources = productSuiteFiles(kind).map(({ file, shown }) => readSource(file, shown));
  const others = SUITES_FOR[kind].filter((other) => other !== kind);
  const known = others.flatMap((other) => parseProductSuites(other, registry));
  return parseSuites(sources, { registry, checks, pickers, schemaProblem }, known);
}

/** Reads suites of the user, which may refer to those of the product. */
export function parseUserSuites(
  files: readonly string[],
  registry: Registry,
  known: readonly Suite[],
): readonly Suite[] {
  const sources = files.map((file) => readSource(file));
  return parseSuites(sources, { registry, checks, pickers, schemaProblem }, known);
}
