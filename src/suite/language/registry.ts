import type { Requirement, WireText } from '../../model/requirement.ts';
import { optional, record, required } from '../yaml/mapping.ts';
import { level, REQUIREMENT_ID, revision } from '../yaml/names.ts';
import { parseDocument } from '../yaml/parse-document.ts';
import {
  either,
  hasKey,
  isScalar,
  listOf,
  oneOf,
  onlyTrue,
  type Placed,
  placed,
  type Reporter,
  type Shape,
  text,
} from '../yaml/shape.ts';

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

function textPerWire(what: string): Shape<WireText> {
  return either(
    text(),
    record(what, {
      rest: required(text(), 'For servers of forms A and B.'),
      mcp: required(text(), 'For servers of the Model Context Protocol.'),
    }),
    isScalar,
  );
}

const levelByAddress = record('a level by address', {
  loopback: required(level, 'Level for a server on this machine.'),
  elsewhere: required(level, 'Level for any other server.'),
});

const levelByForm = record('a level per wire form', {
  A: required(level, 'Level for form A.'),
  B: required(level, 'Level for form B.'),
});

const requirement = record('a requirement', {
  id: required(
    placed(text({ pattern: REQUIREMENT_ID, words: 'an id such as health/status-200' })),
    'Stable, never reused.',
  ),
  level: required(
    either(level, either(levelByAddress, levelByForm, hasKey('loopback')), isScalar),
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
  since: optional(placed(revision), 'The first revision of the Model Context Protocol that asks for it.'),
  until: optional(placed(revision), 'The last revision that asks for it.'),
  extra: optional(
    onlyTrue,
    'true: planned only over one channel, or with a token that only some users have. A complete test need not decide it.',
  ),
});

/** The registry of requirements, suites/requirements.yaml. */
export const requirementsShape = record('a registry', {
  registry: required(oneOf(['v1']), 'Version of the registry.'),
  requirements: required(listOf(requirement, { atLeast: 1 }), 'The rows.'),
});

export type Registry = ReadonlyMap<string, Requirement>;

/** Reads a registry; throws a SuiteError with everything that is wrong with it. Pure. */
export function parseRegistry(text: string, file: string): Registry {
  return parseDocument(text, file, requirementsShape, ({ requirements }, report) => {
    const rows = new Map<string, Requirement>();
    for (const { id, level, spec, text, why, fix, wire, since, until, extra } of requirements) {
      refuseEmptySpan(since, until, report);
      const message = `duplicate requirement "${id.value}"`;
      if (rows.has(id.value)) report('duplicate-id', id.place, message, 'Ids are unique and never reused.');
      const span = { since: since?.value, until: until?.value };
      rows.set(id.value, { id: id.value, level, spec, text, why, fix, wire, ...span, extra });
    }
    return rows;
  });
}
