import { existsSync } from 'node:fs';
import path from 'node:path';
import { EXIT } from '../../../command-line/exit-codes.ts';
import { visible, visibleLines } from '../../../json/visible.ts';
import { TARGET_KINDS } from '../../../model/suite.ts';
import { productIsAsBuilt } from '../../../suite/precompiled.ts';
import { productSuiteFiles } from '../../../suite/product-files.ts';
import { DEFAULT_CONFIG } from '../../options/default-names.ts';

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
async function linted(files: readonly string[], namesOwn: boolean, mayBeUnfilled: boolean) {
  const parsesOwn = namesOwn && !(await productIsAsBuilt());
  if (files.length === 0 && !parsesOwn) return { problems: [], notes: [] };
  const { lintFiles } = await import('./lint-files.ts');
  return lintFiles(files, parsesOwn, mayBeUnfilled);
}

const USUAL_FILES = [
  DEFAULT_CONFIG,
  'probity.listing.yaml',
  'probity.baseline.yaml',
  '.probity/regressions.yaml',
] as const;

/** The files that the commands use or write in the current folder, and those that its configuration names. */
async function usualFiles(): Promise<readonly string[]> {
  const found: readonly string[] = USUAL_FILES.filter((file) => existsSync(file));
  const named = existsSync(DEFAULT_CONFIG) ? await namedIn(DEFAULT_CONFIG) : [];
  return [...new Set([...found, ...named.map((file) => path.normalize(file))])];
}

async function namedIn(file: string): Promise<readonly string[]> {
  const [{ parseConfig }, { readSource }, { SuiteError }] = await Promise.all([
    import('../../../suite/config/parse-config.ts'),
    import('../../../suite/read-source.ts'),
    import('../../../suite/yaml/diagnostic.ts'),
  ]);
  try {
    const config = parseConfig(readSource(file).text, file);
    return [config, ...(config.targets ?? [])].flatMap(({ suites = [], baseline, listing }) => [
      ...suites.map(({ value }) => value),
      ...(baseline === undefined ? [] : [baseline]),
      ...(typeof listing === 'string' ? [listing] : []),
    ]);
  } catch (error) {
    // Its mistakes are reported when it is checked itself.
    if (error instanceof SuiteError) return [];
    throw error;
  }
}
