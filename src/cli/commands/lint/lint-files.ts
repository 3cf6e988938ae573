import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { visible } from '../../../json/visible.ts';
import { TARGET_KINDS, type TargetKind } from '../../../model/suite.ts';
import { parseRegressions } from '../../../suite/config/regressions.ts';
import { parseRegistry } from '../../../suite/language/registry.ts';
import { isLines, recordDiagnostics } from '../../../suite/listing/parse-listing.ts';
import { loadRegistry, loadSuites } from '../../../suite/load-suites.ts';
import { readBaseline } from '../../../suite/read-baseline.ts';
import { readConfig } from '../../../suite/read-config.ts';
import { readListings } from '../../../suite/read-listings.ts';
import { readSource } from '../../../suite/read-source.ts';
import { parseProductSuites } from '../../../suite/read-yaml.ts';
import { type Diagnostic, SuiteError } from '../../../suite/yaml/diagnostic.ts';

/**
 * Parses files, with `parsesOwn` also the product's suites, and returns all mistakes. With `mayBeUnfilled`, missing
 * fields of listings are no mistake, but notes say them.
 */
export async function lintFiles(files: readonly string[], parsesOwn: boolean, mayBeUnfilled: boolean) {
  // In a command of a tenth of a second, compiling optimised code takes a quarter of the time and is never used.
  setFlagsFromString('--no-opt');
  const kinds = files.map((file) => ({ file, kind: kindOf(file) }));
  const filesOf = (kind: Kind): readonly string[] =>
    kinds.filter((known) => known.kind === kind).map(({ file }) => file);
  const parsed = (some: readonly (keyof typeof PARSERS)[]): Promise<readonly (SuiteError | null)[]> =>
    Promise.all(
      some.flatMap((kind) => filesOf(kind).map((file) => attempt(async () => PARSERS[kind](file)))),
    );
  const suites = filesOf('suite');
  const listings = await Promise.all(filesOf('listing').map((file) => lintListing(file, mayBeUnfilled)));
  const problems = [
    ...(await Promise.all(
      TARGET_KINDS.map((kind) =>
        parsesOwn ? attempt(async () => parseProductSuites(kind, await loadRegistry())) : null,
      ),
    )),
    ...(await Promise.all(
      TARGET_KINDS.map((kind) => {
        const ofKind = suites.filter((file) => targetOf(file) === kind);
        return ofKind.length > 0 ? attempt(() => loadSuites(ofKind, kind)) : null;
      }),
    )),
    ...(await parsed(['config', 'registry', 'baseline', 'regressions'])),
    ...listings.flatMap(({ problems }) => problems),
    ...(await parsed(['unreadable'])),
    ...filesOf('unknown').map(unknownDocument),
  ].filter((problem) => problem !== null);
  const notes = listings.flatMap(({ file, toFill }) =>
    toFill.length === 0 ? [] : [`${visible(file)} is not complete yet: set ${toFill.join(', ')}.`],
  );
  return { problems, notes };
}

const PARSERS = {
  config: readConfig,
  registry: (file: string) => parseRegistry(readSource(file).text, file),
  baseline: readBaseline,
  regressions: (file: string) => parseRegressions(readSource(file).text, file),
  unreadable: readSource,
} as const;

async function attempt(work: () => unknown): Promise<SuiteError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof SuiteError) return error;
    throw error;
  }
}

/**
 * Mistakes for which a directory refuses the listing, and failures that need no network to find. With `mayBeUnfilled`,
 * missing fields are no mistake: `probity init` leaves them to the author, who may not want to list the server.
 */
async function lintListing(file: string, mayBeUnfilled: boolean) {
  const problems: SuiteError[] = [];
  const toFill: string[] = [];
  for await (const read of readListings(file)) {
    if (read.kind === 'refused') {
      problems.push(read.error);
      continue;
    }
    const { listing } = read;
    const missing = mayBeUnfilled ? listing.problems.filter(({ received }) => received === NOTHING) : [];
    toFill.push(...missing.map(({ field }) => field));
    const wrong = listing.problems.filter((problem) => !missing.includes(problem));
    if (wrong.length > 0)
      problems.push(
        new SuiteError(
          recordDiagnostics({ ...listing, problems: wrong }),
          new Map(isLines(file) ? [] : [[file, readSource(file).text]]),
        ),
      );
  }
  return { file, problems, toFill };
}

/** What a missing field received. */
const NOTHING = 'nothing';

type Kind = keyof typeof PARSERS | 'suite' | 'listing' | 'unknown';

/** The first key of a document shows its language. */
function kindOf(file: string): Kind {
  // Such files may be too long to read at once.
  if (isLines(file)) return existsSync(file) ? 'listing' : 'unreadable';
  let text: string;
  try {
    ({ text } = readSource(file));
  } catch (error) {
    if (error instanceof SuiteError) return 'unreadable';
    throw error;
  }
  // The configuration also has the key `listing`, and JSON starts with a brace.
  const first = (/^(suite|config|registry|baseline|regressions|listing(?=\s*:\s*["']?v\d))\s*:/m.exec(text) ??
    /^\s*\{\s*"(listing)"\s*:/.exec(text))?.[1];
  if (first !== undefined && first !== 'suite') return first as Kind;
  if (/\.listing\.(?:ya?ml|json)$/.test(file)) return 'listing';
  return first === 'suite' || /\.suite\.ya?ml$/.test(file) ? 'suite' : 'unknown';
}

/** The target kind of a suite. Suites of different kinds cannot refer to each other. */
function targetOf(file: string): TargetKind {
  const [, target] = /^target\s*:\s*["']?(\w+)\b/m.exec(readSource(file).text) ?? [];
  return TARGET_KINDS.find((kind) => kind === target) ?? 'server';
}

function unknownDocument(file: string): SuiteError {
  const diagnostic: Diagnostic = {
    code: 'unknown-document',
    file,
    place: { line: 1, column: 1, length: 1 },
    message: 'this file is not a suite, configuration, baseline, listing or registry',
    suggestion: 'Start it with `suite: v1`, `config: v1`, `baseline: v1` or `listing: v1`.',
  };
  return new SuiteError([diagnostic], new Map());
}
