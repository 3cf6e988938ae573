// The YAML languages of the product, and what its commands read in them: suites, the registry of requirements,
// configurations, listings, baselines and regressions. A language is a shape (shape.ts, mapping.ts), from which also its
// editor schema and its reference in docs/ come: names end in -language. A text becomes a tree with the place of every
// value (yaml-tree.ts); a shape reads it and reports all mistakes at once (parse-document.ts); what a shape cannot say is
// checked afterwards. The folder is pure, except for this file and the others that read from the disk.
import { statSync } from 'node:fs';
import { listOf, oneOf, requireArguments, text } from '../model/arguments.ts';
import { SUITES_FOR, TARGET_KINDS, type TargetKind } from '../model/suite.ts';
import type { Registry } from './language/registry.ts';
import { readPrecompiled } from './precompiled.ts';
import { productSuiteFiles, registryFile } from './product-files.ts';
import type { LoadedSuites } from './read-yaml.ts';

export type { LoadedSuites };

/**
 * Loads the product's own suites for a kind of target, then those of the user.
 *
 * @throws SuiteError with everything that is wrong with them
 * @throws OptionError when an argument is of the wrong kind
 */
export async function loadSuites(
  files: readonly string[] = [],
  kind: TargetKind = 'server',
): Promise<LoadedSuites> {
  requireArguments('loadSuites', { files, kind }, { files: listOf(text), kind: oneOf(...TARGET_KINDS) });
  const products = await Promise.all(SUITES_FOR[kind].map(loadProduct));
  const suites = products.flatMap((product) => product.suites);
  const registry = products[0]?.registry ?? new Map();
  if (files.length === 0) return { suites, registry };
  const { parseUserSuites } = await import('./read-yaml.ts');
  return { suites: [...suites, ...parseUserSuites(files, registry, suites)], registry };
}

export async function loadRegistry(): Promise<Registry> {
  return (await loadProduct('server')).registry;
}

/** Many checks of one process use the same suites, until a file of them changes. */
const loaded = new Map<TargetKind, { readonly changedMs: number; readonly suites: Promise<LoadedSuites> }>();

function loadProduct(kind: TargetKind): Promise<LoadedSuites> {
  const sources = [registryFile().file, ...productSuiteFiles(kind).map(({ file }) => file)];
  const changedMs = Math.max(...sources.map((source) => statSync(source).mtimeMs));
  const known = loaded.get(kind);
  if (known?.changedMs === changedMs) return known.suites;
  const suites = readProduct(kind, changedMs);
  loaded.set(kind, { changedMs, suites });
  return suites;
}

async function readProduct(kind: TargetKind, changedMs: number): Promise<LoadedSuites> {
  const precompiled = await readPrecompiled(kind, changedMs);
  if (precompiled !== null) return precompiled;
  const { parseProduct } = await import('./read-yaml.ts');
  return parseProduct(kind);
}
