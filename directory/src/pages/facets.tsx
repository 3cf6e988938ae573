import type { VNode } from 'preact';
import type { ServerStatus } from 'probity/model';
import { FACETS, type Facets, type FacetValue } from '../search/search-facets.ts';
import { splitTags, writtenTag } from '../search/search-query.ts';
import { MCP_WORDS, visibleText } from './figures.tsx';
import { type GivenSearch, searchAddress } from './search-address.ts';
import { STATES } from './state.tsx';

export const PROTOCOL_WORDS: Readonly<Record<string, string>> = {
  mcp: MCP_WORDS,
  endpoints: '/health, /capabilities, /execute',
};
export const VERDICT_WORDS: Readonly<Record<string, string>> = {
  pass: 'passed its last test',
  fail: 'failed its last test',
  incomplete: 'not completely tested',
};

const TITLES = {
  category: 'Category',
  tags: 'Tags',
  transport: 'Transport',
  protocol: 'Protocol',
  status: 'State',
  verdict: 'Last test',
} as const satisfies Record<(typeof FACETS)[number], string>;

const MAX_VALUES = 12;

/** By what a search can be narrowed, each with the number of servers that it finds then. */
export function FacetLinks({
  facets,
  search,
}: Readonly<{ facets: Facets; search: GivenSearch }>): VNode | null {
  const groups = FACETS.map((name) => ({ name, values: facets[name].filter(isChoice(name, search)) })).filter(
    ({ values }) => values.length > 0,
  );
  if (groups.length === 0) return null;
  return (
    <details class="facets">
      <summary>Narrow by {groups.map(({ name }) => TITLES[name].toLowerCase()).join(', ')}</summary>
      {groups.map(({ name, values }) => (
        <FacetGroup key={name} name={name} values={values} search={search} />
      ))}
    </details>
  );
}

export function FacetGroup({
  name,
  values,
  search,
}: Readonly<{ name: (typeof FACETS)[number]; values: readonly FacetValue[]; search: GivenSearch }>): VNode {
  return (
    <div class="loosen">
      <p id={`facet-${name}`}>{TITLES[name]}</p>
      <ul class="labels" aria-labelledby={`facet-${name}`}>
        {values.slice(0, MAX_VALUES).map(({ value, written = value, count }) => (
          <li key={value}>
            <a href={addressOf(name, value, search)}>
              <bdi>{wordsOf(name, written)}</bdi>
            </a>{' '}
            {count}
          </li>
        ))}
        {values.length > MAX_VALUES ? <li>and more</li> : null}
      </ul>
    </div>
  );
}

/** A value that is chosen already, or that a search cannot express, is no choice. */
function isChoice(name: (typeof FACETS)[number], search: GivenSearch): (facet: FacetValue) => boolean {
  const given = search[name] ?? '';
  const chosen = (name === 'tags' ? splitTags(given) : given.split(',')).map((one) =>
    one.trim().toLowerCase(),
  );
  return ({ value }) =>
    !chosen.includes(value) && !/[\p{Cc}\p{Cf}]/u.test(value) && value.length <= 200 && value !== '';
}

function addressOf(name: (typeof FACETS)[number], value: string, search: GivenSearch): string {
  if (name !== 'tags') return searchAddress(search, { [name]: value });
  return searchAddress(search, {
    tags: [search.tags, writtenTag(value)].filter((tag) => tag !== undefined).join(','),
  });
}

function wordsOf(name: (typeof FACETS)[number], value: string): string {
  switch (name) {
    case 'status':
      return STATES[value as ServerStatus].words;
    case 'protocol':
      return PROTOCOL_WORDS[value] ?? value;
    case 'verdict':
      return VERDICT_WORDS[value] ?? value;
    default:
      return visibleText(value, 'label');
  }
}
