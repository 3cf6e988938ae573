import type { RuleWire } from '../../model/requirement.ts';
import { optional, record } from '../yaml/mapping.ts';
import { either, type Placed, placed, type Shape, text } from '../yaml/shape.ts';

export const WIRES = ['rest', 'mcp'] as const satisfies readonly RuleWire[];

const members = record('a mapping with rest, mcp or both', {
  rest: optional(placed(text()), 'For servers of forms A and B.'),
  mcp: optional(placed(text()), 'For servers of the Model Context Protocol.'),
});

export type Members = NonNullable<ReturnType<typeof members.read>>;

/** A text for servers of both wires, or one for each. */
export type PerWire = Placed<string> | Members;

const someMembers: Shape<Members> = {
  words: members.words,
  schema: { ...members.schema, minProperties: 1 },
  read: (tree, report) => {
    const value = members.read(tree, report);
    if (value === undefined || value.rest !== undefined || value.mcp !== undefined) return value;
    if (Object.keys(value.keyPlaces).length === 0)
      report('missing-key', value.place, 'the mapping names no wire', 'Add `rest:`, `mcp:` or both.');
    return undefined;
  },
};

export const perWire: Shape<PerWire> = either(placed(text()), someMembers);

export function isSplit(given: PerWire | undefined): given is Members {
  return given !== undefined && !('value' in given);
}

/** What is given for a wire; undefined stands for both alike. */
export function valueFor(given: PerWire | undefined, wire: RuleWire | undefined): Placed<string> | undefined {
  if (!isSplit(given)) return given;
  return wire === undefined ? undefined : given[wire];
}
