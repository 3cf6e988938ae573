import { createHash } from 'node:crypto';
import type { ReportedFinding } from '../model/judgement.ts';

type Evidence = Pick<ReportedFinding, 'id' | 'outcome' | 'message' | 'expected' | 'received'> & {
  readonly where: Pick<ReportedFinding['where'], 'step' | 'function' | 'case'>;
  readonly pointer: string | undefined;
};

const FINGERPRINT_DIGITS = 16;

/**
 * The same for the same defect with the same evidence in another run. Numbers, identifiers and times that
 * differ from run to run are left out, and so are the place of an entry in a list and the texts inside an object; a
 * status, a type, a name and the words are not. Pure.
 */
export function fingerprintOf({
  id,
  outcome,
  message,
  expected,
  received,
  where,
  pointer,
}: Evidence): string {
  return digestOf([
    id,
    outcome,
    where.step,
    lastingName(where.function) ?? '',
    where.case ?? '',
    (pointer ?? '').replaceAll(/(?<=\/)[^/]+/g, steadyKey),
    steadyMessage(message),
    steadyValue(expected),
    TYPE_ALONE.test(expected) ? typeOf(received) : steadyValue(received),
  ]);
}

/** The name of a function, unless it was made up for the run from its seed. */
export function lastingName(name: string | undefined): string | undefined {
  return name === undefined || /^probity-(?:[a-z]+-)*\d+$/.test(name) ? undefined : name;
}

export function fingerprintOfBlocked(id: string, blockedBy: string): string {
  return digestOf([id, 'blocked', blockedBy]);
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_DIGITS);
}

/** Quoted words are names: "forecast2" is not "forecast3". */
function steadyMessage(message: string): string {
  // This count stands for findings that were not recorded: one more of them is not accepted.
  const [others = ''] = /; and \d+ more findings like it$/.exec(message) ?? [];
  const words = message.slice(0, message.length - others.length);
  return `${steadyWords(words)}${others}`;
}

function steadyWords(words: string): string {
  return words
    .split(/("[^"]*")/)
    .map((part) =>
      part.startsWith('"') && !part.includes('probity-') ? `"${steadyKey(part.slice(1, -1))}"` : steady(part),
    )
    .join('');
}

/** A key of a map may be an identifier or a date, which differs in the next run; "line2" is a name. */
function steadyKey(key: string): string {
  if (/^\d+$/.test(key)) return '*';
  const digits = key.match(/\d/g)?.length ?? 0;
  return digits >= 5 || (digits > 0 && looksMadeUp(key)) ? '*' : key;
}

const MIN_MADE_UP = 12;

/** Small and large letters and digits that change places much more often than in "temperature2MaxDaily". */
function looksMadeUp(key: string): boolean {
  const changes = key.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|\d(?=[A-Za-z])/g)?.length ?? 0;
  return key.length >= MIN_MADE_UP && changes * 3 >= key.length;
}

/** Few enough that they are there even where most of what is shown are identifiers and times, which become one sign. */
const MAX_CHARACTERS = 40;
/** Where a number is wanted and a text came, it does not matter which one. */
const TYPE_ALONE = /^(?:a number|an integer|a boolean|a string|an object|an array)$/;
const TYPE = / \((?:string|number|boolean|array|object)\)$/;

function typeOf(shown: string): string {
  return TYPE.exec(shown)?.[0] ?? steadyValue(shown);
}

/**
 * What a value is shown as. It was shortened if it was long, where it was cut depends on how many digits its numbers had,
 * and so does whether it was: its beginning must do.
 */
function steadyValue(shown: string): string {
  const type = TYPE.exec(shown)?.[0] ?? '';
  // Before anything becomes one sign: of a list that was cut, its last word would take the whole list along.
  const text = withoutCutWord(shown.slice(0, shown.length - type.length));
  const value = steady(
    /object|array/.test(type) ? text.replaceAll(TEXT_WITHIN, (_, key) => key ?? '#') : text,
  );
  return `${value.trimEnd().slice(0, MAX_CHARACTERS)}${type}`;
}

/** A member’s name, which stays, or a text, which may differ in every answer. */
const TEXT_WITHIN = /("(?:[^"\\]|\\.)*"\s*:)|"(?:[^"\\]|\\.)*"?/g;

function withoutCutWord(value: string): string {
  if (!/…["']?$/.test(value)) return value;
  return value.slice(0, Math.max(0, value.lastIndexOf(' '), value.lastIndexOf(',')));
}

/** Members whose name says that their text differs each time. */
const VARYING_MEMBER =
  /"((?:[A-Za-z0-9_-]*(?:Id|ID|[_-]id|[Tt]oken|[Tt]race|[Nn]once|[Uu]uid|[Hh]ash|[Dd]igest|[Ee]tag|[Ss]ession|[Tt]imestamp))|id)":\s*"(?:[^"\\]|\\.)*"?/g;
const DAY_OR_MONTH =
  /\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|[AP]M)\b/g;
/** A status is kept; any other word with a digit in it may differ next time. */
const STATUS_OR_WORD = /\b(?:status(?: is)? \d{3})\b|^\d{3} with\b|[\p{L}\p{N}_.:+/=%-]+/gu;
const STATUS = /^(?:status(?: is)? \d{3}|\d{3} with)$/;
/** Lists of numbers, and maps that are kept by identifiers, may be longer or shorter. */
const REPEATED = /#(?:[\s,;:"]*#)+/g;
const PLURAL = /(# [a-z]+)s\b/g;

/** Whether a time has a date, a time of day and a zone is what is wrong with many. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/;

function steadyWord(word: string): string {
  if (STATUS.test(word) || !/\p{Nd}/u.test(word)) return word;
  const time = TIME.exec(word);
  if (time === null) return '#';
  return time[1] === undefined ? (word.includes('T') ? '#time' : '#date') : '#zoned';
}

function steady(text: string): string {
  return text
    .replaceAll(VARYING_MEMBER, '"$1":"#"')
    .replaceAll(STATUS_OR_WORD, steadyWord)
    .replaceAll(DAY_OR_MONTH, '#')
    .replaceAll(REPEATED, '#')
    .replaceAll(PLURAL, '$1');
}
