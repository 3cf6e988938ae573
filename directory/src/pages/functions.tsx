import type { VNode } from 'preact';
import { Command } from 'probity/html';
import {
  callInputs,
  descriptorForm,
  descriptorsIn,
  escapeLive,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  ownProperty,
  propertiesOf,
  requiredNames,
  type SchemaEvaluator,
  shorten,
  textsOf,
  typesOf,
} from 'probity/model';
import type { EntryView } from './entry-view.ts';
import { MAX_LENGTHS, Section } from './figures.tsx';

/** A function as a page shows it. Invalid parts of its descriptor are left out. */
export interface FunctionView {
  readonly name: string;
  readonly description: string;
  readonly inputs: readonly ValueView[];
  readonly outputs: readonly ValueView[];
  /** What it says of itself: only reads, may delete, and so on. */
  readonly hints: readonly string[];
  /** About how many tokens its definition costs in each conversation; null if no test counted them. */
  readonly tokens: number | null;
  /** JSON. */
  readonly descriptor: string;
  /** A command that calls the function through the gateway; null when it would be too long to read. */
  readonly call: string | null;
}

interface ValueView {
  readonly name: string;
  /** Empty when the descriptor names no type. */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
}

const MAX_VALUES = 40;
const MAX_JSON_CHARACTERS = 1500;

export function functionView(descriptor: JsonObject, example: ExampleOptions): FunctionView {
  const name = textOf(ownProperty(descriptor, 'name'));
  return {
    name: shorten(name, MAX_LENGTHS.name),
    description: shorten(textOf(ownProperty(descriptor, 'description')), MAX_LENGTHS.description),
    inputs: valuesOf(descriptor, 'parameters', 'inputs'),
    outputs: valuesOf(descriptor, 'returns', 'outputs'),
    hints: HINTS.filter(
      ({ hint, value }) => ownProperty(ownProperty(descriptor, 'annotations'), hint) === value,
    ).map(({ words }) => words),
    tokens: example.tokens.get(name) ?? null,
    descriptor: shorten(jsonText(descriptor), MAX_JSON_CHARACTERS),
    call: exampleCall(name, descriptor, example),
  };
}

/** The annotations of a tool that matter before it is called. */
const HINTS = [
  { hint: 'readOnlyHint', value: true, words: 'only reads' },
  { hint: 'destructiveHint', value: true, words: 'may delete or overwrite' },
  { hint: 'idempotentHint', value: true, words: 'can be repeated' },
  { hint: 'openWorldHint', value: true, words: 'reaches other services' },
] as const;

function valuesOf(
  descriptor: JsonObject,
  key: 'parameters' | 'returns',
  names: 'inputs' | 'outputs',
): readonly ValueView[] {
  if (descriptorForm(descriptor) !== 'B')
    return textsOf(ownProperty(descriptor, names))
      .slice(0, MAX_VALUES)
      .map((name) => ({ name, type: '', description: '', required: false }));
  const required = new Set(requiredNames(ownProperty(descriptor, key)));
  return descriptorsIn({ functions: [descriptor] })
    .flatMap((at) => propertiesOf(at, key))
    .slice(0, MAX_VALUES)
    .map(({ name, schema }) => ({
      name,
      type: (typesOf(schema) ?? []).join(' or '),
      description: isJsonObject(schema) ? textOf(ownProperty(schema, 'description')) : '',
      required: required.has(name),
    }));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const MAX_CHARACTERS = 1200;

interface ExampleOptions {
  readonly executeUrl: string;
  readonly lastInput: Json | undefined;
  readonly schemas: SchemaEvaluator;
  /** Of each function. */
  readonly tokens: ReadonlyMap<string, number>;
}

/**
 * A command that calls a function through the gateway, with the input of its last test, or one generated from its
 * descriptor. Pure.
 */
function exampleCall(
  name: string,
  descriptor: JsonObject,
  { executeUrl, lastInput, schemas }: Omit<ExampleOptions, 'tokens'>,
): string | null {
  const [generated] = isJsonObject(lastInput) ? [] : callInputs('sample', descriptor, [], { schemas });
  const input = isJsonObject(lastInput) ? lastInput : (generated?.input ?? {});
  const body = escapeLive(JSON.stringify({ function: name, input }));
  const command = [
    `curl -sS ${quoted(executeUrl)}`,
    '-H "Authorization: Bearer $PROBITY_TOKEN"',
    "-H 'Content-Type: application/json'",
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
  return command.length > MAX_CHARACTERS ? null : command;
}

/** A command that reads from the API. Pure. */
export function readCommand(url: string): string {
  return `curl -sS ${quoted(url)} -H "Authorization: Bearer $PROBITY_TOKEN"`;
}

/** Single quotes, because in double quotes the shell would replace a function name like "$PROBITY_TOKEN" by the key. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The unit is a tool for servers of the Model Context Protocol. */
export function functionsTitle({ protocol }: Pick<EntryView, 'protocol'>): string {
  return protocol === 'mcp' ? 'Tools' : 'Functions';
}

export function Functions({ entry }: { readonly entry: EntryView }): VNode {
  const { functions, moreFunctions, lastResult } = entry;
  const title = functionsTitle(entry);
  const tokens = lastResult?.clientView?.tokens.total;
  return (
    <Section id="functions" title={title}>
      {functions.length === 0 ? (
        <p class="empty">
          No {title.toLowerCase()} are known: the directory has not read the server’s capabilities yet.
        </p>
      ) : (
        <p>
          As described by the server
          {tokens === undefined ? '' : `, for about ${tokens} tokens in each conversation`}. Calls through the
          directory require an API key with the scope <code>execute</code>; the commands read it from{' '}
          <code>$PROBITY_TOKEN</code>.
        </p>
      )}
      {functions.map((one, index) => (
        <FunctionBox key={index} one={one} open={functions.length === 1} />
      ))}
      {moreFunctions === 0 ? null : <p>and {moreFunctions} more, in the JSON of the API</p>}
    </Section>
  );
}

function FunctionBox({ one, open }: { readonly one: FunctionView; readonly open: boolean }): VNode {
  return (
    <details class="sample function" open={open}>
      <summary>
        <code class="id">{one.name === '' ? '(without a name)' : one.name}</code>
        {one.hints.map((hint) => (
          <span key={hint} class="mark">
            {hint}
          </span>
        ))}
        <span class="statement" dir="auto">
          {one.description}
        </span>
        {one.tokens === null ? null : <span class="level">{one.tokens} tokens</span>}
      </summary>
      <p class="statement" dir="auto">
        {one.description}
      </p>
      <Values title="Input" values={one.inputs} />
      <Values title="Output" values={one.outputs} />
      {one.call === null ? (
        <p class="empty">The example call is too long to show here.</p>
      ) : (
        <Command label="Call it through the directory" text={one.call} />
      )}
      <p class="label">Descriptor</p>
      <pre>
        <code>{one.descriptor}</code>
      </pre>
    </details>
  );
}

function Values({ title, values }: Readonly<{ title: string; values: readonly ValueView[] }>): VNode | null {
  if (values.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="values">
        {values.map(({ name, type, description, required }, index) => (
          <li key={index}>
            <code class="id">{name}</code>
            {type === '' ? null : <span class="level"> {type}</span>}
            {required ? <span class="level">, required</span> : null}
            {description === '' ? null : <span class="statement">{description}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
