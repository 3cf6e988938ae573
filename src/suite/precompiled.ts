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
 * Reading YAML is most of what a short command would do. The built product therefore keeps what it read, a file for each
 * kind of target, so that nobody reads what is about another; sources that were changed since are read again.
 */
export function readPrecompiled(kind: TargetKind, sourcesChangedMs: number): Precompiled | null {
  if (typeof BUILT === 'undefined') return null;
  const file = path.join(packageRoot(), 'dist', `product-${kind}.json`);
  if (!existsSync(file)) return null;
  if (sourcesChangedMs > statSync(file).mtimeMs) return null;
  return JSON.parse(readFileSync(file, 'utf8')) as Precompiled;
}
