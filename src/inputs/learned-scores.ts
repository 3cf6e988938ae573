import { type Json, ownProperty } from '../json/json.ts';
import { isIdentifying } from '../text/words.ts';
import type { ObservedValue } from './observed-values.ts';

const MIN_NAMED_CHARACTERS = 4;

export function names(description: string, functionName: string): boolean {
  return functionName.length >= MIN_NAMED_CHARACTERS && description.includes(functionName);
}

/** A parameter for which a value is looked for. */
export interface Wanted {
  readonly parameter: string;
  readonly schema: Json;
  readonly description: string;
  readonly name: readonly string[];
  /** The words of the function's name after the verb. */
  readonly subject: readonly string[];
}

const SAME_NAME = 10;
const QUALIFIED_NAME = 9;
const SAME_LAST_WORD = 6;
const NAMED_IN_DESCRIPTION = 6;
const SAME_FORMAT = 4;
const SAME_SUBJECT = 3;
const FROM_ANSWER = 1;
export const MIN_SCORE = 6;

export function scoreOf(observed: ObservedValue, wanted: Wanted, functionName: string): number {
  const { description, schema, subject, name } = wanted;
  const isNamed = names(description, functionName);
  const sharesSubject = subject.some((word) => observed.around.includes(word));
  const ofName = nameScore(name, observed.name, observed.around, subject);
  const last = name.at(-1) ?? '';
  // Many names end with the same word.
  const own = ofName === SAME_LAST_WORD && !isIdentifying(last) ? 0 : ofName;
  // "keepId" of mergeCustomers is the "customerId" of createCustomer.
  const isRole = sharesSubject && isIdentifying(last) && observed.name.at(-1) === last;
  const fits =
    own > 0 || isNamed
      ? own
      : isRole || (sharesSubject && isOfFormat(observed.value, schema))
        ? SAME_FORMAT
        : 0;
  if (fits === 0 && !isNamed) return 0;
  return (
    fits +
    (isNamed ? NAMED_IN_DESCRIPTION : 0) +
    (sharesSubject ? SAME_SUBJECT : 0) +
    (observed.place === 'answer' ? FROM_ANSWER : 0)
  );
}

/** "noteId" fits "noteId" and the "id" of a note; "id" of a function about notes fits "noteId". */
export function nameScore(
  wanted: readonly string[],
  given: readonly string[],
  around: readonly string[],
  subject: readonly string[],
): number {
  if (wanted.join(' ') === given.join(' ')) return SAME_NAME;
  const [longer, shorter, known] =
    wanted.length > given.length ? [wanted, given, around] : [given, wanted, subject];
  if (shorter.length === 0 || longer.slice(-shorter.length).join(' ') !== shorter.join(' ')) return 0;
  const qualifiers = longer.slice(0, -shorter.length);
  return qualifiers.every((word) => known.includes(word)) ? QUALIFIED_NAME : SAME_LAST_WORD;
}

/** Formats whose values do not fit by chance. */
const SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ['uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ['uri', /^https?:\/\/\S+$/],
  ['email', /^[^\s@]+@[^\s@]+$/],
]);

function isOfFormat(value: Json, schema: Json): boolean {
  const format = ownProperty(schema, 'format');
  return typeof format === 'string' && typeof value === 'string' && SHAPES.get(format)?.test(value) === true;
}
