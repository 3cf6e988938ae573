import { type Json, ownProperty } from '../../json/json.ts';
import { textsOf } from '../capabilities/descriptor.ts';

/** Whether a record matches a filter; `unsure` if the specification does not say, or the figures are too close. */
export type Fit = 'yes' | 'no' | 'unsure';

/** A filter of a search as its query gives it (specification, section 4.1). */
export interface SearchFilter {
  readonly name: string;
  readonly words: string;
  readonly fitOf: (record: Json) => Fit;
}

/** A directory may show rounded figures and filter by exact ones. */
const UPTIME_DOUBT = 0.1;
const RESPONSE_TIME_DOUBT_MS = 1;

type FitRule = (value: string) => (record: Json) => Fit;

const RULES: Readonly<Record<string, FitRule>> = {
  q: (word) => (record) => textFit(word, record),
  category: (wanted) => (record) => equalFit(wanted, [ownProperty(record, 'category')]),
  tags: (wanted) => (record) => equalFit(wanted, textsOf(ownProperty(record, 'tags'))),
  transport: (wanted) => (record) => equalFit(wanted, textsOf(ownProperty(record, 'transport'))),
  minUptime: (min) => (record) =>
    numberFit(ownProperty(record, 'uptime'), (value) => value - Number(min), UPTIME_DOUBT),
  maxResponseTime: (max) => (record) =>
    numberFit(ownProperty(record, 'responseTime'), (value) => Number(max) - value, RESPONSE_TIME_DOUBT_MS),
  audited: () => (record) => (ownProperty(record, 'audited') === true ? 'yes' : 'no'),
  openSource: () => (record) => (ownProperty(record, 'openSource') === true ? 'yes' : 'no'),
};

export function filtersIn(query: URLSearchParams): readonly SearchFilter[] {
  return [...query].flatMap(([name, value]) => {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    return rule === undefined ? [] : [{ name, words: `${name}=${value}`, fitOf: rule(value) }];
  });
}

/** Whether a record matches several filters: the worst result of any of them. */
export function fitOfAll(filters: readonly SearchFilter[], record: Json): Fit {
  const fits = filters.map(({ fitOf }) => fitOf(record));
  if (fits.includes('no')) return 'no';
  return fits.includes('unsure') ? 'unsure' : 'yes';
}

function equalFit(wanted: string, values: readonly (Json | undefined)[]): Fit {
  if (values.includes(wanted)) return 'yes';
  // The specification does not say whether case matters.
  const folded = wanted.toLowerCase();
  return values.some((value) => typeof value === 'string' && value.toLowerCase() === folded)
    ? 'unsure'
    : 'no';
}

function numberFit(value: Json | undefined, above: (value: number) => number, doubt: number): Fit {
  if (typeof value !== 'number') return 'unsure';
  const distance = above(value);
  if (Math.abs(distance) <= doubt) return 'unsure';
  return distance > 0 ? 'yes' : 'no';
}

/** Words with the same stem share at least this many first letters. */
const STEM_CHARACTERS = 4;

/**
 * The specification does not say how text is searched: by words, parts of words or stems, in some fields or in all.
 * Every method finds a whole word of the name. No method finds a record without a word of the same start.
 */
function textFit(word: string, record: Json): Fit {
  const wanted = word.toLowerCase();
  if (wordsOf(ownProperty(record, 'name')).includes(wanted)) return 'yes';
  const texts = textsWithin(record).map((text) => text.toLowerCase());
  const stem = [...wanted].slice(0, STEM_CHARACTERS).join('');
  return texts.some((text) => text.includes(stem)) ? 'unsure' : 'no';
}

/** Runs of letters, in lower case. */
export function wordsOf(text: Json | undefined): readonly string[] {
  return typeof text === 'string' ? (text.toLowerCase().match(/\p{L}+/gu) ?? []) : [];
}

export function textsWithin(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.values(value as Readonly<Record<string, Json>>).flatMap(textsWithin)
    : [];
}
