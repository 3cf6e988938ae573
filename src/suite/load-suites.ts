import type { Suite } from '../model/suite.ts';
import { readPrecompiled } from './precompiled.ts';
import { productSuiteFiles, registryFile } from './product-files.ts';
import type { Registry } from './registry.ts';

export interface LoadedSuites {
  readonly suites: readonly Suite[];
  readonly registry: Registry;
}

/**
 * Loads the product's own suites, and then those of a user. Throws a SuiteError with everything that is wrong with
 * them.
 */
export async function loadSuites(files: readonly string[] = []): Promise<LoadedSuites> {
  const { suites, registry } = await loadProduct();
  if (files.length === 0) return { suites, registry };
  const { parseUserSuites } = await import('./read-yaml.ts');
  return { suites: [...suites, ...parseUserSuites(files, registry, suites)], registry };
}

export async function loadRegistry(): Promise<Registry> {
  return (await loadProduct()).registry;
}

async function loadProduct(): Promise<LoadedSuites> {
  const precompiled = readPrecompiled([registryFile().file, ...productSuiteFiles().map(({ file }) => file)]);
  if (precompiled !== null) {
    return {
      suites: precompiled.suites,
      registry: new Map(precompiled.requirements.map((row) => [row.id, row])),
    };
  }
  const { parseProduct } = await import('./read-yaml.ts');
  return parseProduct();
}
