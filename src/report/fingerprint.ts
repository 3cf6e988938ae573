import { createHash } from 'node:crypto';
import type { ReportedFinding } from '../model/judgement.ts';

type Evidence = Pick<ReportedFinding, 'id' | 'outcome' | 'message' | 'expected' | 'received'> & {
  readonly where: Pick<ReportedFinding['where'], 'step' | 'function' | 'case'>;
  readonly pointer: string | undefined;
};

const FINGERPRINT_DIGITS = 16;

/**
 * Tells whether a finding of another run is the same defect with the same evidence. Numbers, identifiers and times that
 * differ from run to run are left out, and so is the place of an entry in a list; a status, a type, a name and the words
 * are not. Pure.
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
    (pointer ?? '').replaceAll(/\/\d+(?=\/|$)/g, '/*'),
    steadyMessage(message),
    steadyValue(expected),
    steadyValue(received),
  ]);
}

/** The name of a function; that of one which was made up for the run, with its seed, is no name. */
export function lastingName(name: string | undefined): string | undefined {
  return name === undefined || /^probity-(?:[a-z]+-)*\d+$/.test(name) ? undefined : name;
}

export function fingerprintOfBlocked(id: string, blockedBy: string): string {
  return digestOf([id, 'blocked', blockedBy]);
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_DIGITS);
}

/** The words are our own, and what they quote is a name: "forecast2" is not "forecast3". */
function steadyMessage(message: string): string {
  return message
    .split(/("[^"]*")/)
    .map((part) => (part.startsWith('"') && !part.includes('probity-') ? part : steady(part)))
    .join('');
}

const MOST_CHARACTERS = 80;
const TYPE = / \((?:string|number|boolean|array|object)\)$/;

/**
 * What a value is shown as. It was shortened if it was long, where it was cut depends on how many digits its numbers had,
 * and so does whether it was: its beginning must do.
 */
function steadyValue(shown: string): string {
  const type = TYPE.exec(shown)?.[0] ?? '';
  const value = steady(shown.slice(0, shown.length - type.length));
  return `${withoutCutWord(value).slice(0, MOST_CHARACTERS)}${type}`;
}

function withoutCutWord(value: string): string {
  if (!/…["']?$/.test(value)) return value;
  return value.slice(0, Math.max(0, value.lastIndexOf(' '), value.lastIndexOf(',')));
}

/** Members whose name says that their text is another one each time. */
const VARYING_MEMBER =
  /"((?:[A-Za-z0-9_-]*(?:Id|ID|[_-]id|[Tt]oken|[Tt]race|[Nn]once|[Uu]uid|[Hh]ash|[Dd]igest|[Ee]tag|[Ss]ession|[Tt]imestamp))|id)":\s*"(?:[^"\\]|\\.)*"?/g;
const DAY_OR_MONTH =
  /\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|[AP]M)\b/g;
/** A status is kept; any other word with a digit in it may be another one next time. */
const STATUS_OR_WORD = /\b(?:status(?: is)? \d{3})\b|^\d{3} with\b|[\p{L}\p{N}_.:+/=%-]+/gu;
const STATUS = /^(?:status(?: is)? \d{3}|\d{3} with)$/;
/** Lists of numbers may be longer or shorter. */
const REPEATED = /#(?:[\s,;]*#)+/g;
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
