import { visible } from 'probity/model';
import { splitTags, writtenTag } from '../store/search-query.ts';
import { labelKey } from '../store/words.ts';
import { type GivenSearch, searchAddress } from './search-address.ts';

/** One condition of a search, in words, and the address of the search without it. */
export interface Filter {
  readonly words: string;
  readonly without: string;
}

/** Pure. */
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
