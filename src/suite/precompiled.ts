import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Requirement } from '../model/requirement.ts';
import type { Suite, TargetKind } from '../model/suite.ts';
import { packageRoot } from './product-files.ts';

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
export function readPrecompiled(kind: TargetKind, sourcesChangedMs: number): Precompiled | null {
  if (typeof BUILT === 'undefined') return null;
  const file = path.join(packageRoot(), 'dist', `product-${kind}.json`);
  if (!existsSync(file)) return null;
  if (sourcesChangedMs > statSync(file).mtimeMs) return null;
  return JSON.parse(readFileSync(file, 'utf8')) as Precompiled;
}
