import { createHash } from 'node:crypto';
import type { AcceptedFinding, JudgedPlace, ReportedFinding, Shortcoming } from '../model/judgement.ts';

type Evidence = Pick<ReportedFinding, 'id' | 'outcome' | 'message' | 'expected' | 'received'> & {
  readonly where: Pick<ReportedFinding['where'], 'step' | 'function' | 'case'>;
  readonly pointer: string | undefined;
};

const FINGERPRINT_DIGITS = 16;

/**
 * The same for the same defect with the same evidence in another run. It ignores numbers, identifiers and times that
 * differ between runs, positions in a list, and texts inside an object. It includes statuses, types, names and words.
 * Pure.
 */
export function fingerprintOf(evidence: Evidence): string {
  const { id, outcome, message, expected, received, where, pointer } = evidence;
  return digestOf([
    id,
    outcome,
    where.step,
    lastingName(where.function) ?? '',
    where.case ?? '',
    (pointer ?? '').replaceAll(/(?<=\/)[^/]+/g, steadyKey),
    steadyMessage(message),
    steadyValue(expected),
    (TYPE_ALONE.test(expected) ? TYPE.exec(received)?.[0] : undefined) ?? steadyValue(received),
  ]);
}

/** The same for the same finding on a repeated answer, whatever the answer was. A report has it once, as first seen. */
export function identityInReport(
  id: string,
  { outcome, message, pointer }: Shortcoming,
  { step, line, function: name, case: oneCase }: Pick<JudgedPlace, 'step' | 'line' | 'function' | 'case'>,
): string {
  return JSON.stringify([id, step, line, name, oneCase, outcome, message, pointer]);
}

/** The name of a function, unless it was generated from the seed of the run. */
export function lastingName(name: string | undefined): string | undefined {
  return name === undefined || /^probity-(?:[a-z]+-)*\d+$/.test(name) ? undefined : name;
}

export function fingerprintOfBlocked(id: string, blockedBy: string): string {
  return digestOf([id, 'blocked', blockedBy]);
}

/** Of a baseline entry that is out of date. */
export function fingerprintOfProblem(kind: string, id: string, functionName: string | undefined): string {
  return digestOf([id, 'baseline', kind, functionName ?? '']);
}

export function identityOfEntry(entry: AcceptedFinding): string {
  const { requirement, function: name, outcome, fingerprint } = entry;
  return JSON.stringify([requirement, name ?? null, outcome, fingerprint]);
}

export function identityOfFinding({
  id,
  where,
  outcome,
  fingerprint,
}: Pick<ReportedFinding, 'id' | 'outcome' | 'fingerprint'> & {
  readonly where: Pick<ReportedFinding['where'], 'function'>;
}): string {
  return JSON.stringify([id, lastingName(where.function) ?? null, outcome, fingerprint]);
}

export function placeOf(requirement: string, name: string | undefined): string {
  return JSON.stringify([requirement, name ?? null]);
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_DIGITS);
}

/** Quoted words are names: "forecast2" is not "forecast3". */
function steadyMessage(message: string): string {
  // Keep this count of findings that were not recorded, so that one more of them is not accepted.
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
  return digits >= 5 || (digits > 0 && looksGenerated(key)) ? '*' : key;
}

const MIN_GENERATED_CHARACTERS = 12;

/** Lower case, upper case and digits alternate much more often than in "temperature2MaxDaily". */
function looksGenerated(key: string): boolean {
  const changes = key.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|\d(?=[A-Za-z])/g)?.length ?? 0;
  return key.length >= MIN_GENERATED_CHARACTERS && changes * 3 >= key.length;
}

/** Small enough to be available even if identifiers and times, each replaced by one sign, make up most of the text. */
const MAX_CHARACTERS = 40;
/** If a number is expected and a text was received, the text does not matter. */
const TYPE_ALONE = /^(?:a number|an integer|a boolean|a string|an object|an array)$/;
const TYPE = / \((?:string|number|boolean|array|object)\)$/;

/**
 * Uses only the beginning of a shown value: whether and where a long value was cut depends on the digits of its
 * numbers.
 */
function steadyValue(shown: string): string {
  const type = TYPE.exec(shown)?.[0] ?? '';
  // First remove a cut last word: otherwise it would change the sign for the whole list.
  const text = withoutCutWord(shown.slice(0, shown.length - type.length));
  const value = steady(
    /object|array/.test(type) ? text.replaceAll(TEXT_WITHIN, (_, key) => key ?? '#') : text,
  );
  return `${value.trimEnd().slice(0, MAX_CHARACTERS)}${type}`;
}

/** A member’s name, which is kept, or a text, which may differ in every answer. */
const TEXT_WITHIN = /("(?:[^"\\]|\\.)*"\s*:)|"(?:[^"\\]|\\.)*"?/g;

function withoutCutWord(value: string): string {
  if (!/…["']?$/.test(value)) return value;
  return value.slice(0, Math.max(0, value.lastIndexOf(' '), value.lastIndexOf(',')));
}

/** Members whose names show that their text differs each time. */
const VARYING_MEMBER =
  /"((?:[A-Za-z0-9_-]*(?:Id|ID|[_-]id|[Tt]oken|[Tt]race|[Nn]once|[Uu]uid|[Hh]ash|[Dd]igest|[Ee]tag|[Ss]ession|[Tt]imestamp))|id)":\s*"(?:[^"\\]|\\.)*"?/g;
const DAY_OR_MONTH =
  /\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|[AP]M)\b/g;
/** A status is kept; any other word with a digit may differ in the next run. */
const STATUS_OR_WORD = /\b(?:status(?: is)? \d{3})\b|^\d{3} with\b|[\p{L}\p{N}_.:+/=%-]+/gu;
const STATUS = /^(?:status(?: is)? \d{3}|\d{3} with)$/;
/** Lists of numbers, and maps with identifiers as keys, may change their length. */
const REPEATED = /#(?:[\s,;:"]*#)+/g;
const PLURAL = /(# [a-z]+)s\b/g;

/** The parts of a time are kept: many findings are about a missing date, time of day or zone. */
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
