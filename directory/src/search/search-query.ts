import {
  PROTOCOLS,
  type Protocol,
  SERVER_STATUSES,
  type ServerStatus,
  SORTS,
  type Sort,
  type Transport,
  VERDICTS,
  type Verdict,
} from 'probity/model';
import { labelKey, type SearchedWord, searchedWords } from '../entries/words.ts';
import type { ParameterProblem } from '../http/problem.ts';

/** The parsed parameters of a search (specification, section 4.1). */
export interface SearchQuery {
  /** Words of `q`; null without a text. A text without words finds nothing. */
  readonly words: readonly SearchedWord[] | null;
  /** Normalised by `labelKey`. */
  readonly category: string | null;
  /** An entry must have all of them. Normalised by `labelKey`. */
  readonly tags: readonly string[];
  readonly transport: Transport | null;
  readonly protocol: Protocol | null;
  /** Any of them; all, if there are none. */
  readonly statuses: readonly ServerStatus[];
  /** Of the last test. */
  readonly verdict: Verdict | null;
  readonly minUptime: number | null;
  readonly maxResponseTimeMs: number | null;
  readonly audited: boolean | null;
  readonly openSource: boolean | null;
  /** Only entries whose records changed then or later. */
  readonly updatedSince: Date | null;
  /** Null: with a text, the best matches first; without one, by name. */
  readonly sort: Sort | null;
  /** Whether to count by which values the search can be narrowed. */
  readonly facets: boolean;
  readonly limit: number;
  readonly offset: number;
}

export const TRANSPORTS = ['http', 'websocket'] as const satisfies readonly Transport[];

export type ParsedSearch =
  | { readonly kind: 'search'; readonly query: SearchQuery }
  | { readonly kind: 'bad'; readonly problems: readonly ParameterProblem[] };

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
const MAX_TAGS = 20;
const MAX_TEXT_LENGTH = 200;
/** Larger than any directory, and still an integer in every store. */
const MAX_OFFSET = 2 ** 31 - 1;

/** All values of each parameter. */
export type GivenParameters = ReadonlyMap<string, readonly string[]>;

/** Parses the query string of a URL. Pure. */
export function parametersIn(text: string): GivenParameters {
  const given = new Map<string, string[]>();
  if (text === '') return given;
  for (const [name, value] of new URLSearchParams(text)) given.set(name, [...(given.get(name) ?? []), value]);
  return given;
}

/** The tags that a text separates with commas; `\,` is a comma within a tag. Pure. */
export function splitTags(text: string): readonly string[] {
  return text.split(/(?<!\\),/).map((tag) => tag.replaceAll('\\,', ','));
}

/** A tag as `splitTags` reads it. Pure. */
export function writtenTag(tag: string): string {
  return tag.replaceAll(',', '\\,');
}

/**
 * Parses the query of a search, and lists every invalid parameter. An empty value and a blank text filter nothing. Only
 * tags and states may be repeated. Pure.
 */
export function parseSearch(given: GivenParameters): ParsedSearch {
  const problems: ParameterProblem[] = [];
  const refuse = (parameter: string, detail: string): null => {
    problems.push({ parameter, detail });
    return null;
  };
  const one = <Value>(parameter: string, read: (text: string) => Problem | Value): Value | null => {
    const values = given.get(parameter) ?? [];
    if (values.length > 1) return refuse(parameter, `is given ${values.length} times; give it once`);
    const [text = ''] = values;
    if (text === '') return null;
    const value = read(text);
    return value instanceof Problem ? refuse(parameter, value.message) : (value as Value);
  };
  for (const name of given.keys()) if (!KNOWN.has(name)) refuse(name, unknownDetail(name));
  const tagTexts = TAG_SPELLINGS.flatMap((name) => given.get(name) ?? []);
  const tags = tagTexts
    .flatMap(splitTags)
    .map(labelKey)
    .filter((tag) => tag !== '');
  if (tags.length > MAX_TAGS) refuse('tags', `names ${tags.length} tags; the maximum is ${MAX_TAGS}`);
  if (tagTexts.some(hasControl)) refuse('tags', 'contains a control character');
  const statuses = (given.get('status') ?? [])
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
  if (!statuses.every(isStatus)) refuse('status', `must be ${listed(SERVER_STATUSES)}`);
  const text = one('q', textOf);
  const query: SearchQuery = {
    words: text === null || text.trim() === '' ? null : searchedWords(text),
    category: one('category', labelOf) || null,
    tags: [...new Set(tags)],
    transport: one('transport', oneOf(TRANSPORTS)),
    protocol: one('protocol', oneOf(PROTOCOLS)),
    statuses: [...new Set(statuses.filter(isStatus))],
    verdict: one('verdict', oneOf(VERDICTS)),
    minUptime: one('minUptime', (text) => numberOf(text, 0, 100)),
    maxResponseTimeMs: one('maxResponseTime', (text) => numberOf(text, 0, Number.MAX_VALUE)),
    audited: one('audited', flagOf),
    openSource: one('openSource', flagOf),
    updatedSince: one('updatedSince', timeOf),
    sort: one('sort', oneOf(SORTS)),
    facets: one('facets', flagOf) ?? false,
    limit: one('limit', (text) => integerOf(text, 1, MAX_LIMIT)) ?? DEFAULT_LIMIT,
    offset: one('offset', (text) => integerOf(text, 0, MAX_OFFSET)) ?? 0,
  };
  return problems.length > 0 ? { kind: 'bad', problems } : { kind: 'search', query };
}

const TAG_SPELLINGS = ['tags', 'tags[]'];

const textParameter = { type: 'string', maxLength: MAX_TEXT_LENGTH } as const;

/** The parameters in the OpenAPI document; `parseSearch` validates them. */
export const searchParameters = {
  type: 'object',
  properties: {
    q: {
      ...textParameter,
      description:
        'Search text: each of its words must be the beginning of a word of the name, the description or a tag; in scripts without spaces, such as Chinese, a part of one. Case and accents are ignored. Words such as c++, c# and node.js are words of their own, and what has them comes first. A text without letters and digits finds nothing.',
    },
    category: { ...textParameter, description: 'The whole category; case is ignored.' },
    tags: {
      type: 'array',
      maxItems: MAX_TAGS,
      items: { type: 'string' },
      description:
        'Only servers with all of these tags. Repeat the parameter (tags=a&tags=b), separate tags with commas (tags=a,b), or use tags[]. A comma within a tag is written \\,.',
    },
    transport: { type: 'string', enum: TRANSPORTS },
    protocol: {
      type: 'string',
      enum: PROTOCOLS,
      description:
        'Extension. mcp: only servers that speak the Model Context Protocol over HTTP; endpoints: only those with /health, /capabilities and /execute.',
    },
    status: {
      type: 'array',
      items: { type: 'string', enum: SERVER_STATUSES },
      description:
        'Extension: only servers in one of these states. Repeat the parameter, or separate states with commas.',
    },
    verdict: {
      type: 'string',
      enum: VERDICTS,
      description: 'Extension: only servers whose last test had this verdict.',
    },
    minUptime: { type: 'number', minimum: 0, maximum: 100, description: 'Percentage.' },
    maxResponseTime: { type: 'number', minimum: 0, description: 'Milliseconds.' },
    audited: { type: 'boolean', description: 'true: audited servers only; false: others only.' },
    openSource: { type: 'boolean', description: 'true: open-source servers only; false: others only.' },
    updatedSince: {
      type: 'string',
      format: 'date-time',
      description:
        'Extension: only servers whose record changed at this time or later. Follow all changes with GET /changes.',
    },
    sort: {
      type: 'string',
      enum: SORTS,
      description:
        'Extension: by name; the highest uptime, the shortest response time, the highest coverage of the last test, what was listed last, or what changed its state last first. Observed figures come before claimed ones, and equal servers are in the order of their names, in which numbers count by their value. Without it: by name, and with a text first the best matches.',
    },
    facets: {
      type: 'boolean',
      description:
        'Extension: true: the answer says by which categories, tags, transports, protocols, states and verdicts the search can be narrowed, and how many servers it finds then.',
    },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    offset: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 },
  },
} as const;

export type SearchParameter = keyof typeof searchParameters.properties;
export const SEARCH_PARAMETERS: readonly string[] = Object.keys(searchParameters.properties);
const KNOWN: ReadonlySet<string> = new Set([...SEARCH_PARAMETERS, ...TAG_SPELLINGS]);

class Problem extends Error {}

function unknownDetail(name: string): string {
  const known = SEARCH_PARAMETERS.find((parameter) => parameter.toLowerCase() === name.toLowerCase());
  return known === undefined
    ? `is not a search parameter; use ${SEARCH_PARAMETERS.join(', ')}`
    : `is not a search parameter; did you mean ${known}?`;
}

function hasControl(text: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(text);
}

function textOf(text: string): string | Problem {
  if ([...text].length > MAX_TEXT_LENGTH) return new Problem(`is longer than ${MAX_TEXT_LENGTH} characters`);
  return hasControl(text) ? new Problem('contains a control character') : text;
}

function labelOf(text: string): string | Problem {
  const label = textOf(text);
  return typeof label === 'string' ? labelKey(label) : label;
}

function isStatus(text: string): text is ServerStatus {
  return (SERVER_STATUSES as readonly string[]).includes(text);
}

function oneOf<const Values extends readonly string[]>(values: Values) {
  return (text: string): Values[number] | Problem =>
    values.find((value) => value === text) ?? new Problem(`must be ${listed(values)}`);
}

function listed(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

function flagOf(text: string): boolean | Problem {
  return text === 'true' || text === 'false' ? text === 'true' : new Problem('must be true or false');
}

function numberOf(text: string, min: number, max: number): number | Problem {
  const value = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) return new Problem('must be a number');
  if (value < min || value > max)
    return new Problem(max === 100 ? `must be from ${min} to ${max}` : `must be ${min} or more`);
  return value;
}

/** A time with its zone, because a time without one would depend on where the directory runs. */
function timeOf(text: string): Date | Problem {
  const time = new Date(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? text : Number.NaN,
  );
  return Number.isNaN(time.getTime()) ? new Problem('must be a time such as 2026-11-25T09:30:00Z') : time;
}

function integerOf(text: string, min: number, max: number): number | Problem {
  if (!/^-?\d{1,16}$/.test(text)) return new Problem('must be a whole number');
  const value = Number(text);
  return value < min || value > max ? new Problem(`must be from ${min} to ${max}`) : value;
}
