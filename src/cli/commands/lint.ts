import path from 'node:path';
import { EXIT } from '../../command-line/exit-codes.ts';
import { TARGET_KINDS } from '../../model/suite.ts';
import { visible, visibleLines } from '../../model/visible.ts';
import { productIsAsBuilt } from '../../suite/precompiled.ts';
import { productSuiteFiles } from '../../suite/product-files.ts';
import type { Linted } from './lint-files.ts';
import { USUAL_FILES, usualFiles } from './usual-files.ts';

/**
 * Checks files of all YAML languages of the product, and reports all mistakes at once. Without names, the product's
 * suites and the usual files of this folder.
 */
export async function lint(named: readonly string[]): Promise<void> {
  const files = named.length > 0 ? named : await usualFiles();
  const own = new Set(TARGET_KINDS.flatMap((kind) => productSuiteFiles(kind).map(({ file }) => file)));
  const others = files.filter((file) => !own.has(path.resolve(file)));
  const namesOwn = named.length === 0 || others.length < files.length;
  const { problems, notes } = await linted(others, namesOwn, named.length === 0);
  const checked = named.length > 0 ? null : ['the product’s own suites', ...files.map(visible)].join(', ');
  if (problems.length === 0) {
    const none = files.length === 0 ? ` This folder has none of ${USUAL_FILES.join(', ')}.` : '';
    const where = checked ?? `${files.length} ${files.length === 1 ? 'file' : 'files'}`;
    process.stdout.write(`${[`No mistakes in ${where}.${none}`, ...notes].join('\n')}\n`);
    return;
  }
  const count = problems.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
  const summary = `${count} ${count === 1 ? 'problem' : 'problems'}${checked === null ? '' : ` in ${checked}`}`;
  process.stdout.write(
    `${[...problems.map(({ message }) => visibleLines(message)), [...notes, summary].join('\n')].join('\n\n')}\n`,
  );
  process.exitCode = EXIT.usage;
}

/** The build has parsed the product's suites without a mistake: only changed ones are parsed again. */
async function linted(files: readonly string[], namesOwn: boolean, mayBeUnfilled: boolean): Promise<Linted> {
  const parsesOwn = namesOwn && !(await productIsAsBuilt());
  if (files.length === 0 && !parsesOwn) return { problems: [], notes: [] };
  const { lintFiles } = await import('./lint-files.ts');
  return lintFiles(files, parsesOwn, mayBeUnfilled);
}
