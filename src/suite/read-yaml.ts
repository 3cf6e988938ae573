import { checks } from '../generated/checks.ts';
import { SUITES_FOR, type Suite, type TargetKind } from '../model/suite.ts';
import { pickers } from '../pickers/index.ts';
import { parseSuites } from './language/parse-suites.ts';
import { productSuiteFiles, registryFile } from './product-files.ts';
import { readSource } from './read-source.ts';
import { parseRegistry, type Registry } from './registry.ts';
import { schemaProblem } from './schema-problem.ts';

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
  const others = SUITES_FOR[kind].filter((other) => other !== kind);
  const known = others.flatMap((other) => parseProductSuites(other, registry));
  return parseSuites(sources, { registry, checks, pickers, schemaProblem }, known);
}

export function parseUserSuites(
  files: readonly string[],
  registry: Registry,
  known: readonly Suite[],
): readonly Suite[] {
  return parseSuites(
    files.map((file) => readSource(file)),
    { registry, checks, pickers, schemaProblem },
    known,
  );
}
