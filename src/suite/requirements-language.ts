import { either, listOf, oneOf, optional, placed, record, required, text } from './shape.ts';

const level = oneOf(['MUST', 'SHOULD', 'MAY']);
const ID = /^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/;

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
            record('a level per wire form', {
              A: required(level, 'Level for form A.'),
              B: required(level, 'Level for form B.'),
            }),
          ),
          'MUST, SHOULD or MAY.',
        ),
        spec: required(
          text(),
          'Section of the specification, page of the Model Context Protocol such as "MCP tools", or "-".',
        ),
        text: required(text(), 'What a conforming target does.'),
        why: required(text(), 'What breaks when it does not.'),
        fix: required(text(), 'How to fix it.'),
        fixMcp: optional(
          text(),
          'How to fix it in a server of the Model Context Protocol, where it differs.',
        ),
        wire: optional(
          oneOf(['rest']),
          'rest: the Model Context Protocol does not ask for it, or another row decides it there.',
        ),
      }),
      { atLeast: 1 },
    ),
    'The rows.',
  ),
});
