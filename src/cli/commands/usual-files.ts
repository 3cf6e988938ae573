import { existsSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_CONFIG } from '../options/default-config.ts';

export const USUAL_FILES = [
  DEFAULT_CONFIG,
  'probity.listing.yaml',
  'probity.baseline.yaml',
  '.probity/regressions.yaml',
] as const;

/** The files that the commands use or write in the current folder, and those that its configuration names. */
export async function usualFiles(): Promise<readonly string[]> {
  const found: readonly string[] = USUAL_FILES.filter((file) => existsSync(file));
  const named = existsSync(DEFAULT_CONFIG) ? await namedIn(DEFAULT_CONFIG) : [];
  return [...new Set([...found, ...named.map((file) => path.normalize(file))])];
}

async function namedIn(file: string): Promise<readonly string[]> {
  const [{ parseConfig }, { readSource }, { SuiteError }] = await Promise.all([
    import('../../suite/parse-config.ts'),
    import('../../suite/read-source.ts'),
    import('../../suite/diagnostic.ts'),
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
