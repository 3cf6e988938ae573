import { visible } from 'probity/model';
import { labelKey } from '../entries/words.ts';
import {
  DEFAULT_LIMIT,
  type GivenParameters,
  SEARCH_PARAMETERS,
  splitTags,
  writtenTag,
} from '../search/search-query.ts';

type Name = (typeof SEARCH_PARAMETERS)[number];

/** A search as its form and its links write it: the text of each parameter that is not empty. */
export type GivenSearch = Readonly<Partial<Record<Name, string>>>;

/** Several tags become one text with commas. Pure. */
export function givenSearch(given: GivenParameters): GivenSearch {
  const texts = SEARCH_PARAMETERS.map((name): [Name, string] => {
    const values = name === 'tags' ? [...valuesOf('tags'), ...valuesOf('tags[]')] : valuesOf(name);
    const filled = values.map((value) => value.trim()).filter((value) => value !== '');
    return [name, name === 'tags' ? filled.join(', ') : (filled.at(-1) ?? '')];
  });
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));

  function valuesOf(name: string): readonly string[] {
    return given.get(name) ?? [];
  }
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

export function filtersOf(search: GivenSearch): readonly Filter[] {
  const { q, category, tags, transport, minUptime, maxResponseTime, audited, openSource } = search;
  const one = (name: keyof GivenSearch, words: string): Filter => ({
    words: visible(words),
    without: searchAddress(search, { [name]: '' }),
  });
  const named = splitTags(tags ?? '').filter((tag) => labelKey(tag) !== '');
  return [
    ...(q === undefined ? [] : [one('q', `the text “${q}”`)]),
    ...(category === undefined ? [] : [one('category', `category “${category}”`)]),
    ...named.map((tag) => ({
      words: visible(`tag “${tag.trim()}”`),
      without: searchAddress(search, {
        tags: named
          .filter((other) => other !== tag)
          .map(writtenTag)
          .join(','),
      }),
    })),
    ...(transport === undefined ? [] : [one('transport', `transport ${transport}`)]),
    ...(minUptime === undefined ? [] : [one('minUptime', `uptime of ${minUptime} % or more`)]),
    ...(maxResponseTime === undefined
      ? []
      : [one('maxResponseTime', `response time of ${maxResponseTime} ms or less`)]),
    ...(audited === undefined ? [] : [one('audited', audited === 'true' ? 'audited' : 'not audited')]),
    ...(openSource === undefined
      ? []
      : [one('openSource', openSource === 'true' ? 'open source' : 'not open source')]),
  ];
}
