import type { TextPlace } from '../model/text-rule.ts';
import { rulesBroken } from './unsafe-texts.ts';

/**
 * Why a text says something else to a model than before; null if it only seems to be worded differently. It does if it has
 * hidden characters, addresses, names of other functions, markup or words of command that it did not have, if a rule finds
 * something new in it, if a warning is gone, or if it has little in common with the text before. Whoever trusted the older
 * text should read the newer one.
 */
export function changedMeaning(
  before: string,
  after: string,
  otherNames: readonly string[],
  place: TextPlace = 'text',
): string | null {
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
  const broken = rulesBroken(before, place, null);
  const rule = rulesBroken(after, place, null).find((one) => !broken.includes(one));
  if (rule !== undefined) return `it ${rule.says}`;
  const caution = CAUTIONS.find((words) => words.test(before) && !words.test(after));
  if (caution !== undefined) return `it no longer says ${JSON.stringify(caution.exec(before)?.[0])}`;
  return isMostlyOther(before, after) ? 'it has little in common with the text before' : null;
}

/** Characters that no reader sees: of format, of private use, tags, and controls; not those that join parts of an emoji. */
const HIDDEN = /(?!\u200D)\p{Cf}|(?<!\p{Extended_Pictographic}|\uFE0F)\u200D|\p{Co}|(?![\t\n\r])\p{Cc}/gu;

const ADDRESS =
  /\b(?:https?|ftp|file|data|javascript):[^\s"'<>)\]]+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}:\d{2,5}\b|(?<![\w.]|\b(?:versions?|ver|v|releases?)\b[\s\d.,:=-]{0,20}(?:(?:and|or|to)\s)?)\d{1,3}(?:\.\d{1,3}){3}\b(?!\.\d)/gi;

/** Not a type of types, such as `List<string>`. */
const MARKUP =
  /(?<!\b(?:[A-Z]\w{0,40}|list|dict|map|set|array|tuple|vec))<[A-Za-z][\w-]{0,40}(?:\s[^<>]{0,200})?>|<\/[A-Za-z][\w-]{0,40}>|<!--/g;

/** Words with which texts tell a model what to do, or ask it for what is not theirs; not what a value must be. */
const COMMANDS =
  /\b(?:must(?!\s(?:not\s)?(?:have|contain|match|start|end|begin|equal|fit)\b|\s(?:not\s)?be\b(?!\s(?:called|used|run|invoked|executed|read|sent|included|passed|first|done|copied|forwarded|ignored|obeyed|followed)\b))|always|never|ignore|disregard|override|forget|do not|don't|before (?:using|calling|any)|first call|mandatory|secretly|silently|without (?:asking|telling)|system prompt|credentials?|passwords?|api keys?|private keys?)\b/gi;

/** Words of caution, in groups of which one is enough: that a call does harm, and that the user decides. */
const CAUTIONS: readonly RegExp[] = [
  /\b(?:dangerous|destructive|irreversibl[ey]|permanently|(?:cannot|can't|can not) be undone|caution|warning)\b/i,
  /\b(?:confirm(?:s|ed)?|(?:user|human) (?:confirmation|approval|consent)|ask(?:s|ing)? (?:the |your )?(?:users?|human)|approv(?:ed|al) (?:by|of))\b/i,
];

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
