import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Requirement } from '../model/requirement.ts';
import { type Suite, TARGET_KINDS, type TargetKind } from '../model/suite.ts';
import { packageRoot, productSuiteFiles, registryFile } from './product-files.ts';
import type { LoadedSuites } from './read-yaml.ts';

/** The product's own suites for one kind of target, and its registry, read when the product was built. */
export interface Precompiled {
  readonly suites: readonly Suite[];
  readonly requirements: readonly Requirement[];
}

declare const BUILT: boolean | undefined;

/**
 * Parsing YAML would take most of the time of a short command. The build therefore stores the parsed suites, in one
 * file for each kind of target; sources that changed since are parsed again.
 */
export async function readPrecompiled(
  kind: TargetKind,
  sourcesChangedMs: number,
): Promise<LoadedSuites | null> {
  if (typeof BUILT === 'undefined') return null;
  const file = path.join(packageRoot(), 'dist', `product-${kind}.json`);
  if (!existsSync(file)) return null;
  // Copying a package can make all its files newer, in any order.
  if (sourcesChangedMs > statSync(file).mtimeMs && !(await isAsBuilt(kind))) return null;
  const { suites, requirements } = JSON.parse(readFileSync(file, 'utf8')) as Precompiled;
  return { suites, registry: new Map(requirements.map((row) => [row.id, row])) };
}

/** Whether all suites of the product have the content that was parsed without a mistake when it was built. */
export async function productIsAsBuilt(): Promise<boolean> {
  if (typeof BUILT === 'undefined') return false;
  return (await Promise.all(TARGET_KINDS.map(isAsBuilt))).every(Boolean);
}

async function isAsBuilt(kind: TargetKind): Promise<boolean> {
  try {
    const text = readFileSync(path.join(packageRoot(), DIGESTS_FILE), 'utf8');
    const built = JSON.parse(text) as Partial<Record<TargetKind, string>>;
    return built[kind] === (await digestOfSources(kind));
  } catch {
    // Parsing the sources again says what cannot be read.
    return false;
  }
}

/** The digests of the sources at the time of the build, by kind of target. */
const DIGESTS_FILE = 'dist/product-digests.json';

export async function digestOfSources(kind: TargetKind): Promise<string> {
  // Loading it takes longer than the rest of this, and a check seldom needs it.
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  for (const { file, shown } of [registryFile(), ...productSuiteFiles(kind)]) {
    const bytes = readFileSync(file);
    hash.update(`${shown} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
