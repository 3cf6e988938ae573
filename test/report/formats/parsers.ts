import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { schema as ctrfSchema } from 'ctrf';
import MarkdownIt, { type Token } from 'markdown-it';
import { type DefaultTreeAdapterTypes, parse as parseHtml } from 'parse5';
import { SaxesParser } from 'saxes';
import { Parser as TapParser } from 'tap-parser';
import type { FormatName, RenderedFile } from '../../../src/report/formats/formats.ts';
import { visible } from '../../../src/report/visible.ts';

/** What an independent reader finds in the files of a format. */
export interface Reading {
  /** Everything but texts: it must not depend on what a target says. */
  readonly structure: unknown;
  /** Every text that is shown as text. */
  readonly texts: readonly string[];
  /** What must never be there, each in words. */
  readonly faults: readonly string[];
}

export interface FormatReader {
  read(files: readonly RenderedFile[]): Reading;
  /** How a text of a target is to come out; null where the format tells none. */
  readonly told: ((text: string) => string) | null;
}

/** As `visible`, with what XML and YAML cannot hold. */
export function printableForm(text: string): string {
  return visible(text).replaceAll('\uFFFE', '\\u{FFFE}').replaceAll('\uFFFF', '\\u{FFFF}');
}

/** A reader for every format; a format without one is not tested, so that it has to have one. */
export const READERS: Readonly<Record<string, FormatReader>> = {
  badge: { read: ([svg, json]) => joined(readXml(svg), readJson(json)), told: null },
  ctrf: { read: ([file]) => readCtrf(file), told: printableForm },
  github: { read: ([file]) => readGithub(file), told: visible },
  html: { read: ([file]) => readHtml(file), told: visible },
  json: { read: ([file]) => readJson(file), told: (text) => text },
  junit: { read: ([file]) => readXml(file), told: printableForm },
  markdown: { read: ([file]) => readMarkdown(file), told: visible },
  sarif: { read: ([file]) => readSarif(file), told: printableForm },
  tap: { read: ([file]) => readTap(file), told: printableForm },
};

export function readerOf(format: FormatName): FormatReader {
  const reader = READERS[format];
  if (reader === undefined)
    throw new Error(
      `The format ${format} has no reader in test/report/formats/parsers.ts. Add one that parses it independently, so that what a target says is seen to come out as text.`,
    );
  return reader;
}

function joined(...readings: readonly Reading[]): Reading {
  return {
    structure: readings.map(({ structure }) => structure),
    texts: readings.flatMap(({ texts }) => texts),
    faults: readings.flatMap(({ faults }) => faults),
  };
}

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** @throws on anything that is not well-formed XML 1.0 */
export function parseXml(text: string): XmlElement {
  interface Open extends XmlElement {
    readonly children: XmlElement[];
    text: string;
  }
  const stack: Open[] = [{ name: '', attributes: {}, children: [], text: '' }];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Open = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    stack.at(-1)?.children.push(element);
    stack.push(element);
  });
  parser.on('closetag', () => {
    stack.pop();
  });
  const addText = (part: string): void => {
    const open = stack.at(-1);
    if (open !== undefined) open.text += part;
  };
  parser.on('text', addText);
  for (const event of ['comment', 'doctype', 'cdata'] as const)
    parser.on(event, (part) => {
      throw new Error(`a ${event} that nobody wrote: ${part}`);
    });
  parser.write(text).close();
  const [root] = stack[0]?.children ?? [];
  if (root === undefined) throw new Error('there is no element');
  return root;
}

function readXml(file: RenderedFile | undefined): Reading {
  const texts: string[] = [];
  const shapeOf = ({ name, attributes, children, text }: XmlElement): unknown => {
    texts.push(text, ...Object.values(attributes));
    return [name, Object.keys(attributes), children.map(shapeOf)];
  };
  return { structure: shapeOf(parseXml(file?.text ?? '')), texts, faults: [] };
}

function readJson(file: RenderedFile | undefined): Reading {
  const texts: string[] = [];
  const shapeOf = (value: unknown): unknown => {
    if (typeof value === 'string') {
      texts.push(value);
      return 'text';
    }
    if (Array.isArray(value)) return value.map(shapeOf);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]));
  };
  return { structure: shapeOf(JSON.parse(file?.text ?? '')), texts, faults: [] };
}

/** The formats of strings that the schemas ask for. */
const formats = {
  uuid: (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  uri: (text: string) => URL.canParse(text),
  'uri-reference': (text: string) => /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/.test(text),
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text),
};
export const validateSarif = new Ajv({ strict: false, formats, allErrors: true }).compile(
  schema('sarif-2.1.0.subset.json'),
);
const validateCtrf = new Ajv({ strict: false, formats }).compile(ctrfSchema as object);
export const validateShields = new Ajv().compile(schema('shields-endpoint.json'));

function schema(name: string): object {
  return JSON.parse(readFileSync(new URL(`schemas/${name}`, import.meta.url), 'utf8')) as object;
}

function readCtrf(file: RenderedFile | undefined): Reading {
  const isValid = validateCtrf(JSON.parse(file?.text ?? ''));
  return {
    ...readJson(file),
    faults: isValid ? [] : (validateCtrf.errors ?? []).map((error) => JSON.stringify(error)),
  };
}

function readSarif(file: RenderedFile | undefined): Reading {
  const log = JSON.parse(file?.text ?? '') as { runs: { results: { message: { text: string } }[] }[] };
  const isValid = validateSarif(log);
  const links = log.runs
    .flatMap(({ results }) => results)
    .filter(({ message }) => message.text.includes(']('))
    .map(({ message }) => `a link in a message: ${message.text}`);
  return {
    ...readJson(file),
    faults: [
      ...(isValid ? [] : (validateSarif.errors ?? []).map((error) => JSON.stringify(error))),
      ...links,
    ],
  };
}

/** The events of a reader of TAP, as pairs of a name and what it carries. */
export function tapEvents(text: string): readonly (readonly [string, unknown])[] {
  return TapParser.parse(text) as unknown as readonly (readonly [string, unknown])[];
}

export interface TapPoint {
  readonly ok: boolean;
  readonly id: number;
  readonly name: string;
  readonly skip: string | boolean;
  readonly todo: string | boolean;
  readonly diag: unknown;
}

export function tapPoints(text: string): readonly TapPoint[] {
  return tapEvents(text)
    .filter(([event]) => event === 'assert')
    .map(([, point]) => point as TapPoint);
}

const WANTED_EVENTS = new Set([
  'version',
  'plan',
  'comment',
  'assert',
  'complete',
  'finish',
  'pass',
  'fail',
  'skip',
  'todo',
  'line',
  'close',
]);

function readTap(file: RenderedFile | undefined): Reading {
  const events = tapEvents(file?.text ?? '');
  const points = tapPoints(file?.text ?? '');
  const told = points.map(({ name, skip, todo, diag }) => ({ name, skip, todo, diag }));
  return {
    structure: points.map(({ ok, id, skip, todo, diag }) => [
      ok,
      id,
      Boolean(skip),
      Boolean(todo),
      typeof diag,
    ]),
    texts: readJson({ suffix: '', text: JSON.stringify(told) }).texts,
    faults: events
      .filter(([event]) => !WANTED_EVENTS.has(event))
      .map((event) => `an event that nobody wrote: ${JSON.stringify(event)}`),
  };
}

const markdown = new MarkdownIt({ html: true, linkify: true });

function readMarkdown(file: RenderedFile | undefined): Reading {
  const flat = (tokens: readonly Token[]): readonly Token[] =>
    tokens.flatMap((token) => [token, ...flat(token.children ?? [])]);
  const tokens = flat(markdown.parse(file?.text ?? '', {})).filter(({ type }) => type !== 'inline');
  const raw = tokens.filter(({ type }) => type === 'html_block' || type === 'html_inline');
  const own = /^\s*(<\/?(details|summary|sub)>)+|^<summary>[^<]*<\/summary>/;
  return {
    // A word that GitHub would link to something stands in code, which is text all the same.
    structure: tokens.map(({ type }) => type).filter((type) => type !== 'text' && type !== 'code_inline'),
    texts: tokens
      .filter(({ type }) => /^(text|code_inline|fence|html_block)$/.test(type))
      .map(({ content }) => content),
    faults: [
      ...tokens.filter(({ type }) => type === 'link_open' || type === 'image').map(({ type }) => `a ${type}`),
      ...raw.filter(({ content }) => !own.test(content)).map(({ content }) => `HTML: ${content}`),
      // GitHub makes mentions of what stands outside of code, whatever Markdown makes of it.
      ...tokens
        .filter(({ type, content }) => type === 'text' && /(^|\W)@\w/.test(content))
        .map(({ content }) => `a mention: ${content}`),
    ],
  };
}

export interface RunnerCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** A line of a log as GitHub’s runner reads it (ActionCommand.TryParseV2); null where it is no command. */
export function runnerCommand(line: string): RunnerCommand | null {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end === -1) return null;
  const information = text.slice(2, end);
  const blank = information.indexOf(' ');
  const name = blank === -1 ? information : information.slice(0, blank);
  const pairs =
    blank === -1
      ? []
      : information
          .slice(blank + 1)
          .trim()
          .split(',');
  const properties = pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return [
        pair.slice(0, equals),
        unescaped(pair.slice(equals + 1), [
          ['%3A', ':'],
          ['%2C', ','],
        ]),
      ] as const;
    });
  return { name, properties: Object.fromEntries(properties), data: unescaped(text.slice(end + 2), []) };
}

function unescaped(text: string, more: readonly (readonly [string, string])[]): string {
  const mappings = [['%0D', '\r'], ['%0A', '\n'], ...more, ['%25', '%']] as const;
  return mappings.reduce((sofar, [escaped, character]) => sofar.replaceAll(escaped, character), text);
}

function readGithub(file: RenderedFile | undefined): Reading {
  const lines = (file?.text ?? '').replace(/\n$/, '').split('\n');
  const commands = lines.map(runnerCommand);
  const isOwn = (command: RunnerCommand | null): boolean =>
    command !== null && ['error', 'warning', 'notice'].includes(command.name);
  return {
    structure: commands.map((command) => command && [command.name, Object.keys(command.properties)]),
    texts: commands.flatMap((command) =>
      command === null ? [] : [...Object.values(command.properties), ...command.data.split('\n')],
    ),
    faults: lines
      .filter((_, index) => !isOwn(commands[index] ?? null))
      .map((line) => `no command of ours: ${line}`),
  };
}

type HtmlNode = DefaultTreeAdapterTypes.ChildNode;

/** A page may lay out other texts otherwise; what acts, and what may act, must be the same whatever a target says. */
const ACTING = new Set([
  'script',
  'style',
  'link',
  'meta',
  'base',
  'iframe',
  'object',
  'embed',
  'form',
  'img',
  'image',
  'svg',
  'math',
  'template',
  'a',
  'input',
  'button',
  'video',
  'audio',
]);
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'data', 'poster', 'xlink:href', 'srcdoc']);

function readHtml(file: RenderedFile | undefined): Reading {
  const acting: string[] = [];
  const texts: string[] = [];
  const faults: string[] = [];
  const walk = (node: HtmlNode): void => {
    if (node.nodeName === '#text') texts.push((node as DefaultTreeAdapterTypes.TextNode).value);
    if (node.nodeName === '#comment') acting.push('comment');
    if (!('tagName' in node)) return;
    if (ACTING.has(node.tagName)) acting.push(node.tagName);
    for (const { name, value } of node.attrs) {
      texts.push(value);
      if (name.startsWith('on')) faults.push(`a handler: ${node.tagName} ${name}=${value}`);
      if (ADDRESSES.has(name) && !/^(#|https?:|data:image\/)/.test(value))
        faults.push(`an address: ${name}=${value}`);
    }
    const children = 'content' in node ? node.content.childNodes : node.childNodes;
    // Neighbouring pieces are one text to a reader, however they are wrapped.
    texts.push(textOf(node));
    for (const child of children) walk(child);
  };
  for (const child of parseHtml(file?.text ?? '').childNodes) walk(child);
  return { structure: acting, texts, faults };
}

function textOf(node: HtmlNode): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
