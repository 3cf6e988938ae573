/**
 * Why a text says something else to a model than before; null if it only seems to be worded differently. It does if it has
 * hidden characters, addresses, names of other functions, markup or words of command that it did not have, or if it has
 * little in common with the text before. Whoever trusted the older text should read the newer one.
 */
export function changedMeaning(before: string, after: string, otherNames: readonly string[]): string | null {
  const added = (pattern: RegExp): string | undefined => {
    const known = new Set(before.match(pattern)?.map((one) => one.toLowerCase()));
    return after.match(pattern)?.find((one) => !known.has(one.toLowerCase()));
  };
  if (added(HIDDEN) !== undefined) return 'it has hidden characters';
  const address = added(ADDRESS);
  if (address !== undefined) return `it names ${JSON.stringify(address)}`;
  const name = otherNames.find((one) => names(after, one) && !names(before, one));
  if (name !== undefined) return `it names ${JSON.stringify(name)}`;
  const markup = added(MARKUP);
  if (markup !== undefined) return `it has the markup ${JSON.stringify(markup)}`;
  const command = added(COMMANDS);
  if (command !== undefined) return `it says ${JSON.stringify(command)}`;
  return isMostlyOther(before, after) ? 'it has little in common with the text before' : null;
}

/** Characters that no reader sees: of format, of private use, tags, and controls; not those that join parts of an emoji. */
const HIDDEN = /(?!\u200D)\p{Cf}|(?<!\p{Extended_Pictographic}|\uFE0F)\u200D|\p{Co}|(?![\t\n\r])\p{Cc}/gu;

const ADDRESS =
  /\b(?:https?|ftp|file|data|javascript):[^\s"'<>)\]]+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi;

const MARKUP = /<\/?[a-z][\w-]{0,40}(?:\s[^<>]{0,200})?>|<!--/gi;

/** Words with which texts tell a model what to do, or ask it for what is not theirs. */
const COMMANDS =
  /\b(?:must|always|never|ignore|disregard|override|forget|do not|don't|before (?:using|calling|any)|first call|mandatory|secretly|silently|without (?:asking|telling)|system prompt|credentials?|passwords?|api keys?|private keys?)\b/gi;

/** A name that is also an ordinary word counts only where it is quoted. */
function names(text: string, name: string): boolean {
  if (name.length <= 2 || !text.includes(name)) return false;
  const isWord = /^[a-z]+$/i.test(name);
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const around = isWord ? [`[\`"'(]`, `[\`"')]`] : [String.raw`(?<![\w-])`, String.raw`(?![\w-])`];
  return new RegExp(around.join(escaped), 'u').test(text);
}

const MIN_WORDS = 5;

/** Less than a third of the words of the shorter text are in both. */
function isMostlyOther(before: string, after: string): boolean {
  const [left, right] = [wordsOf(before), wordsOf(after)];
  const fewest = Math.min(left.size, right.size);
  if (fewest < MIN_WORDS) return false;
  return [...left].filter((word) => right.has(word)).length < fewest / 3;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
