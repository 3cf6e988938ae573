import { shorten } from '../../model/json.ts';
import { visible } from '../../model/visible.ts';

/** Neither XML nor YAML can hold these two, not even as an escape; they are no characters, so nothing else hides them. */
const NONCHARACTERS = /[\uFFFE\uFFFF]/g;

const MAX_CHARACTERS = 2000;

/** A target may have names of megabytes; the report file has them whole. */
export function shown(text: string): string {
  return visible(shorten(text, MAX_CHARACTERS));
}

/** Text of a target on one line that every format can hold, cut where it is longer than anybody reads. */
export function printable(text: string): string {
  return withoutNoncharacters(shown(text));
}

/** The same for a command, which is of no use when it is cut. */
export function printableCommand(command: string): string {
  return withoutNoncharacters(visible(command));
}

function withoutNoncharacters(text: string): string {
  return text.replaceAll(
    NONCHARACTERS,
    (character) => `\\u{${character.charCodeAt(0).toString(16).toUpperCase()}}`,
  );
}
