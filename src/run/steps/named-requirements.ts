import { OptionError } from '../../model/arguments.ts';
import type { TargetKind } from '../../model/suite.ts';
import { matchesGlob } from '../../text/glob.ts';
import { nearest } from '../../text/nearest-name.ts';

// Requirements as users name them, by ids and globs.

/** Whether patterns name a requirement. Refuses one that names none. */
export function matcher(
  patterns: readonly string[],
  known: ReadonlySet<string>,
  option: 'only' | 'skip',
  kind: TargetKind,
): (id: string) => boolean {
  for (const pattern of patterns) {
    if ([...known].some((id) => matchesGlob(pattern, id))) continue;
    // One configuration may be for servers of both wires.
    if (kind === 'server' && isOfMcp(pattern)) continue;
    throw new OptionError(
      option,
      `\`${option}\` ${pattern}: unknown requirement id. ${suggestionFor(pattern, known, kind)}`,
    );
  }
  return (id) => patterns.some((pattern) => matchesGlob(pattern, id));
}

export function isOfMcp(pattern: string): boolean {
  return pattern.startsWith('mcp/');
}

/** The area of the requirements for directories; all others are for servers. */
const DIRECTORY_AREA = 'directory';

function suggestionFor(pattern: string, known: ReadonlySet<string>, kind: TargetKind): string {
  const area = pattern.replace(/\/?\*?$/, '');
  const isOfDirectory = pattern.split('/', 1)[0] === DIRECTORY_AREA;
  if (kind !== 'directory' && isOfDirectory)
    return 'Use `checkServer` with `directory` for ids that begin with "directory/".';
  if (kind === 'directory' && !isOfDirectory && pattern.includes('/'))
    return 'A check of a directory decides only "directory/*"; use `checkServer` with the address of a server for the rest.';
  if ([...known].some((id) => id.startsWith(`${area}/`))) return `Did you mean "${area}/*"?`;
  const close = nearest(pattern, known);
  return close === undefined ? '`loadSuites` lists all ids.' : `Did you mean "${close}"?`;
}
