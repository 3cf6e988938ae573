import type { LevelByTarget, Requirement, WireText } from '../model/requirement.ts';
import { type Diagnostic, SuiteError } from './diagnostic.ts';
import {
  either,
  hasKey,
  listOf,
  oneOf,
  optional,
  type Placed,
  placed,
  type Reporter,
  record,
  reporterInto,
  required,
  type Shape,
  text,
} from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

const level = oneOf(['MUST', 'SHOULD', 'MAY']);
const ID = /^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/;

export const revision = text({
  pattern: /^\d{4}-\d{2}-\d{2}$/,
  words: 'a revision of the protocol such as 2025-06-18',
});

/** Reports revisions between which none can be. */
export function refuseEmptySpan(
  since: Placed<string> | undefined,
  until: Placed<string> | undefined,
  report: Reporter,
): void {
  if (since === undefined || until === undefined || since.value <= until.value) return;
  const problem = `no revision is both since ${since.value} and until ${until.value}`;
  report('wrong-value', until.place, problem, 'Exchange them, or remove one.');
}

/** One text, or one per wire. */
function textPerWire(what: string): Shape<WireText> {
  return either(
    (tree) => tree.kind === 'scalar',
    text(),
    record(what, {
      rest: required(text(), 'For servers of forms A and B.'),
      mcp: required(text(), 'For servers of the Model Context Protocol.'),
    }),
  );
}

/** The registry of requirements, suites/requirements.yaml. */
export const requirementsShape = record('a registry', {
  registry: required(oneOf(['v1']), 'Version of the registry.'),
  requirements: required(
    listOf(
      record('a requirement', {
        id: required(
          placed(text({ pattern: ID, words: 'an id such as health/status-200' })),
          'Stable, never reused.',
        ),
        level: required(
          either(
            (tree) => tree.kind === 'scalar',
            level,
            either(
              hasKey('loopback'),
              record('a level by address', {
                loopback: required(level, 'Level for a server on this machine.'),
                elsewhere: required(level, 'Level for any other server.'),
              }),
              record('a level per wire form', {
                A: required(level, 'Level for form A.'),
                B: required(level, 'Level for form B.'),
              }),
            ),
          ),
          'MUST, SHOULD or MAY.',
        ),
        spec: required(
          text(),
          'Section of the specification, page of the Model Context Protocol such as "MCP tools", or "-".',
        ),
        text: required(textPerWire('a text per wire'), 'What a conforming target does.'),
        why: required(text(), 'What breaks when it does not.'),
        fix: required(textPerWire('a fix per wire'), 'How to fix it.'),
        wire: optional(
          oneOf(['rest', 'mcp']),
          'rest: the Model Context Protocol does not ask for it, or another row decides it there. mcp: the same of forms A and B.',
        ),
        since: optional(
          placed(revision),
          'The first revision of the Model Context Protocol that asks for it.',
        ),
        until: optional(placed(revision), 'The last revision that asks for it.'),
      }),
      { atLeast: 1 },
    ),
    'The rows.',
  ),
});

/** The registry of requirements by id. */
export type Registry = ReadonlyMap<string, Requirement>;

/** Reads a registry; throws a SuiteError with everything that is wrong with it. Pure. */
export function parseRegistry(text: string, file: string): Registry {
  const { tree, diagnostics: syntax } = parseYaml(text, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const report = reporterInto(diagnostics, file);
  const raw = tree === null ? undefined : requirementsShape.read(tree, report);
  const rows = new Map<string, Requirement>();
  for (const row of raw?.requirements ?? []) {
    const { id, level, spec, text: statement, why, fix, wire, since, until } = row;
    refuseEmptySpan(since, until, report);
    if (rows.has(id.value))
      report(
        'duplicate-id',
        id.place,
        `duplicate requirement "${id.value}"`,
        'Ids are unique and never reused.',
      );
    rows.set(id.value, {
      id: id.value,
      level: plainLevel(level),
      spec,
      text: plainText(statement),
      why,
      fix: plainText(fix),
      wire,
      since: since?.value,
      until: until?.value,
    });
  }
  if (diagnostics.length > 0) throw new SuiteError(diagnostics, new Map([[file, text]]));
  return rows;
}

/** Without what the parser adds about places. */
function plainText(text: WireText): WireText {
  return typeof text === 'string' ? text : { rest: text.rest, mcp: text.mcp };
}

function plainLevel(level: LevelByTarget): LevelByTarget {
  if (typeof level === 'string') return level;
  return 'A' in level ? { A: level.A, B: level.B } : { loopback: level.loopback, elsewhere: level.elsewhere };
}
