import type { ComponentChildren, VNode } from 'preact';
import { visible } from 'probity/model';
import type { ParameterProblem } from '../http/problem.ts';
import { DEFAULT_LIMIT } from '../search/search-query.ts';
import { PROTOCOL_WORDS, VERDICT_WORDS } from './facets.tsx';
import type { GivenSearch } from './search-address.ts';
import { STATES } from './state.tsx';

interface FieldProps {
  readonly name: keyof GivenSearch;
  readonly label: string;
  readonly hint?: string;
  readonly search: GivenSearch;
  readonly problems: readonly ParameterProblem[];
}

export function SearchForm({
  search: given,
  problems,
}: Readonly<{ search: GivenSearch; problems: readonly ParameterProblem[] }>): VNode {
  const search = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, writable(text)]),
  ) as GivenSearch;
  const common = { search, problems };
  const isFiltered = Object.keys(search).some(
    (name) => !['q', 'offset', 'limit', 'facets', 'sort'].includes(name),
  );
  const isBad = problems.some(({ parameter }) => parameter !== 'q');
  const limit = search.limit ?? String(DEFAULT_LIMIT);
  return (
    <search class="find" aria-label="Servers">
      <form method="get" action="/">
        <div class="text">
          <TextField {...common} name="q" label="Search text" />
          <button type="submit">Search</button>
        </div>
        <details open={isFiltered || isBad}>
          <summary>Filters</summary>
          <div class="fields">
            <TextField {...common} name="category" label="Category" />
            <TextField {...common} name="tags" label="Tags (all of them)" hint="separated by commas" />
            <ChoiceField {...common} name="status" label="State" choices={STATUS} />
            <ChoiceField {...common} name="protocol" label="Protocol" choices={PROTOCOLS} />
            <ChoiceField {...common} name="verdict" label="Last test" choices={VERDICTS} />
            <ChoiceField {...common} name="sort" label="Order" choices={SORTS} />
            <ChoiceField {...common} name="transport" label="Transport" choices={TRANSPORTS} />
            <TextField {...common} name="minUptime" label="Minimum uptime, %" numeric />
            <TextField {...common} name="maxResponseTime" label="Maximum response time, ms" numeric />
            <ChoiceField {...common} name="audited" label="Security audit" choices={AUDITED} />
            <ChoiceField {...common} name="openSource" label="Source" choices={OPEN_SOURCE} />
          </div>
          {limit === String(DEFAULT_LIMIT) ? null : <input type="hidden" name="limit" value={limit} />}
          <p>
            <button type="submit">Search with these filters</button>
          </p>
        </details>
      </form>
    </search>
  );
}

/**
 * The text of a field, with controls and changes of direction escaped: HTML has no control characters, and the field must
 * show what a search with it looks for. Invisible characters that words and emoji need stay.
 */
export function writable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, visible);
}

const STATUS = {
  '': 'any',
  ...Object.fromEntries(Object.entries(STATES).map(([status, { words }]) => [status, words])),
};
const PROTOCOLS = { '': 'any', ...PROTOCOL_WORDS };
const VERDICTS = { '': 'any', ...VERDICT_WORDS };
const SORTS = {
  '': 'best match, then name',
  name: 'name',
  uptime: 'highest uptime',
  responseTime: 'shortest response time',
  coverage: 'most functions tested',
  newest: 'newest',
  changed: 'last change of state',
};
const TRANSPORTS = { '': 'any', http: 'http', websocket: 'websocket' };
const AUDITED = { '': 'any', true: 'audited', false: 'not audited' };
const OPEN_SOURCE = { '': 'any', true: 'open', false: 'not open' };

function TextField({ numeric = false, ...props }: FieldProps & { readonly numeric?: boolean }): VNode {
  const { name, search } = props;
  return (
    <Field {...props}>
      <input
        id={name}
        name={name}
        type="text"
        value={search[name] ?? ''}
        autocomplete="off"
        // With type "number", the browser would not show an invalid value.
        inputMode={numeric ? 'decimal' : 'text'}
        {...describedBy(props)}
      />
    </Field>
  );
}

function ChoiceField({
  choices,
  ...props
}: FieldProps & { readonly choices: Readonly<Record<string, string>> }): VNode {
  const { name, search } = props;
  const given = search[name] ?? '';
  const shown = Object.hasOwn(choices, given) ? choices : { [given]: given, ...choices };
  return (
    <Field {...props}>
      <select id={name} name={name} {...describedBy(props)}>
        {Object.entries(shown).map(([value, words]) => (
          <option key={value} value={value} selected={value === given}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Field({
  name,
  label,
  problems,
  hint,
  children,
}: FieldProps & { readonly children: ComponentChildren }): VNode {
  const own = problems.filter(({ parameter }) => parameter === name);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p id={`${name}-hint`} class="hint">
          {hint}
        </p>
      )}
      {own.length === 0 ? null : (
        <p id={`${name}-problem`} class="problem">
          {own.map(({ detail }) => `It ${detail}.`).join(' ')}
        </p>
      )}
    </div>
  );
}

function describedBy({ name, problems, hint }: FieldProps): Readonly<Record<string, string>> {
  const isBad = problems.some(({ parameter }) => parameter === name);
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isBad ? [`${name}-problem`] : [])];
  return {
    ...(isBad ? { 'aria-invalid': 'true' } : {}),
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
  };
}
