import { visible } from 'probity/model';
import { labelKey } from '../entries/words.ts';
import {
  DEFAULT_LIMIT,
  type GivenParameters,
  SEARCH_PARAMETERS,
  type SearchParameter,
  splitTags,
  writtenTag,
} from '../search/search-query.ts';

/** A search as its form and its links write it: the text of each parameter that is not empty. */
export type GivenSearch = Readonly<Partial<Record<SearchParameter, string>>>;

/** Several tags, or states, become one text with commas. Pure. */
export function givenSearch(given: GivenParameters): GivenSearch {
  const texts = SEARCH_PARAMETERS.map((name) => {
    const spellings = name === 'tags' ? ['tags', 'tags[]'] : [name];
    const values = spellings.flatMap((one) => given.get(one) ?? []);
    const filled = values.map((value) => value.trim()).filter((value) => value !== '');
    return [
      name,
      name === 'tags' || name === 'status'
        ? filled.join(name === 'tags' ? ', ' : ',')
        : (filled.at(-1) ?? ''),
    ] as const;
  });
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

/** The address of the page of a search. A change returns to the first page, unless it sets `offset`. Pure. */
export function searchAddress(search: GivenSearch, change: GivenSearch = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, text] of Object.entries({ ...search, offset: '', ...change })) {
    const isDefault =
      (name === 'offset' && text === '0') || (name === 'limit' && text === `${DEFAULT_LIMIT}`);
    if (text !== '' && !isDefault) parameters.set(name, text);
  }
  return parameters.size === 0 ? '/' : `/?${parameters}`;
}

/** Null for a label that a search cannot express, such as one with a control character. Pure. */
export function labelAddress(name: 'tags' | 'category', label: string): string | null {
  const isSearchable =
    label.trim() !== '' && !label.includes('\\u{') && !/[\p{Cc}\p{Cf}]/u.test(label) && label.length <= 200;
  if (!isSearchable) return null;
  return searchAddress({ [name]: name === 'tags' ? writtenTag(label) : label });
}

/** One condition of a search, in words, and the address of the search without it. */
export interface Filter {
  readonly words: string;
  readonly without: string;
}

/** The conditions in words, in their order. Each tag is one. */
const CONDITIONS: readonly (readonly [name: SearchParameter, words: (text: string) => string])[] = [
  ['q', (text) => `the text “${text}”`],
  ['category', (text) => `category “${text}”`],
  ['tags', (text) => `tag “${text.trim()}”`],
  ['transport', (text) => `transport ${text}`],
  ['protocol', (text) => `protocol ${text}`],
  ['status', (text) => `state ${text}`],
  ['verdict', (text) => `last test ${text}`],
  ['minUptime', (text) => `uptime of ${text} % or more`],
  ['maxResponseTime', (text) => `response time of ${text} ms or less`],
  ['audited', (text) => (text === 'true' ? 'audited' : 'not audited')],
  ['openSource', (text) => (text === 'true' ? 'open source' : 'not open source')],
];

export function filtersOf(search: GivenSearch): readonly Filter[] {
  return CONDITIONS.flatMap(([name, wordsOf]) => {
    const { [name]: text } = search;
    if (text === undefined) return [];
    const each = name === 'tags' ? splitTags(text).filter((tag) => labelKey(tag) !== '') : [text];
    return each.map((one) => {
      const others = each.filter((other) => other !== one).map(writtenTag);
      return { words: visible(wordsOf(one)), without: searchAddress(search, { [name]: others.join(',') }) };
    });
  });
}
