/** Space-separated words as a set. */
export function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Of short texts: the same names occur in every call and answer of a target. */
const known = new Map<string, readonly string[]>();
const MAX_KNOWN = 2000;
const MAX_KNOWN_CHARACTERS = 64;

/** The words of a name or a sentence, in small letters: "noteId" and "note_id" are both "note", "id". */
export function wordsIn(text: string): readonly string[] {
  if (text.length > MAX_KNOWN_CHARACTERS) return split(text);
  const words = known.get(text) ?? split(text);
  if (known.size < MAX_KNOWN) known.set(text, words);
  return words;
}

function split(text: string): readonly string[] {
  return text
    .normalize('NFC')
    .replaceAll(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

/** A word without the ending of a plural or of the third person. */
export function baseOf(word: string): string {
  return word.replace(/s$/, '');
}

/** Last words of the names of what identifies something. */
const IDENTIFYING: ReadonlySet<string> = words(
  'id uuid guid key token session handle ref reference hash code cursor number slug sku url uri path ticket receipt',
);

/** Whether the last word of a name says that its value identifies something. */
export function isIdentifying(word: string): boolean {
  return IDENTIFYING.has(word);
}

/** Whether values of that name identify something, which must exist before. */
export function identifies(parameter: string): boolean {
  return IDENTIFYING.has(baseOf(wordsIn(parameter).at(-1) ?? ''));
}

/** "claimTask" and "receiveMessage" return what somebody else created; "saveNote" and "openCart" may. */
const VERBS_OF_CREATION: ReadonlySet<string> = words(
  'add append book clone copy create define duplicate enqueue import insert issue make new order place post publish put record register schedule shorten spawn start store submit subscribe upload write',
);

/** Whether the name of a function says that it creates something. */
export function creates(functionName: string): boolean {
  return VERBS_OF_CREATION.has(wordsIn(functionName)[0] ?? '');
}

/** "putItem" and "defineTerm" may replace what exists, and "startServer" may return what runs. */
const VERBS_OF_REPLACING: ReadonlySet<string> = words('append define put start store write');

/** Whether the name of a function says that each call creates another thing. */
export function createsAnother(functionName: string): boolean {
  return creates(functionName) && !VERBS_OF_REPLACING.has(wordsIn(functionName)[0] ?? '');
}

/** `a, b and 3 more`. */
export function namesInLine(names: readonly string[], most = 10): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
