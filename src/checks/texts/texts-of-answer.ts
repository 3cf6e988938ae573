import { isJsonObject, type Json, type JsonObject, ownItems, ownProperty } from '../../json/json.ts';
import { type Answer, isAnswer } from '../../model/exchange.ts';
import { isHttpRequest, messageMethod } from '../../model/sent.ts';
import type { TextPlace } from '../../model/text-rule.ts';
import { isMessage, toolOutcome } from '../../wires/mcp/answer.ts';
import { LISTS } from '../../wires/mcp/lists.ts';
import type { Asked } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

/** A text of an answer, with what it belongs to in words. */
export interface PlacedText {
  readonly place: TextPlace;
  readonly text: string;
  /** Such as `the description of tool "add"`. */
  readonly label: string;
  /** In the answer. */
  readonly path: readonly (string | number)[];
  /** The function whose definition has it. */
  readonly function?: string | undefined;
}

type Path = PlacedText['path'];

/** By the answer, because the checks of all subjects read each. */
const known = new WeakMap<Answer, readonly PlacedText[]>();

/** The texts of an answer that a model reads, as far as the server’s author or a call’s result brings them there. */
export function textsOf({ exchange }: Asked): readonly PlacedText[] {
  if (!isAnswer(exchange)) return [];
  const read =
    known.get(exchange) ?? (isMessage(exchange) ? textsOfMessage(exchange) : textsOfRest(exchange));
  known.set(exchange, read);
  return read;
}

function textsOfRest(answer: Answer): readonly PlacedText[] {
  const { value } = jsonBody(answer);
  if (answer.kind !== 'answered' || !isHttpRequest(answer.request) || !isJsonObject(value)) return [];
  const { status } = answer.response;
  const collector = new TextCollector();
  if (status >= 400) collector.every(value, 'error', 'an error', []);
  else if (Array.isArray(ownProperty(value, 'functions'))) {
    collector.identity(ownProperty(value, 'server'), ['server']);
    collector.entries(ownItems(value, 'functions'), 'function', ['functions']);
  } else {
    const error = ownProperty(value, 'error');
    if (error) collector.every(error, 'error', 'an error', ['error']);
    for (const key of ['output', 'result']) {
      const returned = ownProperty(value, key);
      if (returned !== undefined) collector.every(returned, 'result', 'a result', [key]);
    }
  }
  return collector.texts;
}

const KINDS: Readonly<Record<string, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};

function textsOfMessage(answer: Answer): readonly PlacedText[] {
  const { value } = jsonBody(answer);
  const collector = new TextCollector();
  const error = ownProperty(value, 'error');
  if (error !== undefined) collector.every(error, 'error', 'an error', ['error']);
  const result = ownProperty(value, 'result');
  if (result === undefined) return collector.texts;
  const method = messageMethod(answer.request);
  const list = Object.values(LISTS).find((one) => one.method === method);
  if (list !== undefined)
    collector.entries(ownItems(result, list.member), KINDS[list.member] ?? list.member, [
      'result',
      list.member,
    ]);
  else if (method === 'initialize' || method === 'server/discover') collector.opening(result);
  else if (method === 'tools/call') {
    const isRefused = toolOutcome(answer).kind === 'refused';
    collector.every(result, isRefused ? 'error' : 'result', isRefused ? 'an error' : 'a result', ['result']);
  } else if (method === 'prompts/get') collector.every(result, 'prompt', 'a prompt', ['result']);
  else collector.every(result, 'result', 'a result', ['result']);
  return collector.texts;
}

/** Members of a schema or a descriptor that describe something. */
const DESCRIBING: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$comment',
  'summary',
  'markdownDescription',
  'enumDescriptions',
  'errorMessage',
]);
/** Members of a schema that hold values, whatever their keys are. */
const VALUES: ReadonlySet<string> = new Set(['default', 'examples', 'example', 'const', 'enum']);
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Members whose texts are made for programs. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set([
  '_meta',
  'icons',
  'pattern',
  'type',
  'format',
  'mimeType',
  '$ref',
  '$id',
  '$schema',
  'data',
  'blob',
]);

/** The texts of a descriptor, or of another part of a contract; `label` is what it is called in theirs. */
export function textsWithin(holder: JsonObject, label: string): readonly PlacedText[] {
  const collector = new TextCollector();
  collector.members(holder, label, []);
  return collector.texts;
}

class TextCollector {
  readonly texts: PlacedText[] = [];
  #function: string | undefined;

  /** What the server says of itself when a conversation opens. */
  opening(result: Json): void {
    const instructions = ownProperty(result, 'instructions');
    this.#add(instructions, 'instructions', 'the text of the server’s instructions', [
      'result',
      'instructions',
    ]);
    const meta = 'io.modelcontextprotocol/serverInfo';
    this.identity(ownProperty(result, 'serverInfo'), ['result', 'serverInfo']);
    this.identity(ownProperty(ownProperty(result, '_meta'), meta), ['result', '_meta', meta]);
  }

  identity(info: Json | undefined, path: Path): void {
    this.#add(ownProperty(info, 'name'), 'name', 'the name of the server', [...path, 'name']);
    for (const key of ['title', 'description'])
      this.#add(ownProperty(info, key), 'text', `the ${key} of the server`, [...path, key]);
  }

  /** The entries of a list: functions, prompts, resources. */
  entries(entries: readonly Json[], kind: string, path: Path): void {
    const isFunction = kind === 'function' || kind === KINDS.tools;
    for (const [index, entry] of entries.entries()) {
      if (!isJsonObject(entry)) continue;
      const name = ownProperty(entry, 'name');
      const label = `${kind} ${typeof name === 'string' ? `"${name}"` : `number ${index + 1}`}`;
      this.#function = isFunction && typeof name === 'string' ? name : undefined;
      this.members(entry, label, [...path, index]);
    }
    this.#function = undefined;
  }

  /** All texts of a value, its keys included. */
  every(value: Json, place: TextPlace, label: string, path: Path): void {
    if (typeof value === 'string') this.#add(value, place, label, path);
    else if (Array.isArray(value))
      for (const [index, item] of value.entries()) this.every(item as Json, place, label, [...path, index]);
    else if (isJsonObject(value))
      for (const [key, inner] of Object.entries(value)) {
        if (FOR_PROGRAMS.has(key) && typeof inner === 'string') continue;
        this.#add(key, place, label, [...path, key]);
        this.every(inner, place, label, [...path, key]);
      }
  }

  /** The members of a descriptor or of a schema. */
  members(holder: JsonObject, label: string, path: Path): void {
    for (const [key, value] of Object.entries(holder)) {
      const inner = [...path, key];
      if (FOR_PROGRAMS.has(key)) continue;
      if (key === 'name' || key === 'uri' || key === 'uriTemplate')
        this.#add(value, 'name', `the ${key} of ${label}`, inner);
      else if (DESCRIBING.has(key) && !isJsonObject(value))
        this.every(value, 'text', `the ${key} of ${label}`, inner);
      else if (VALUES.has(key)) this.every(value, 'value', `a value in ${label}`, inner);
      else if (key === 'required' || key === 'inputs' || key === 'outputs')
        this.every(value, 'name', `a name in ${label}`, inner);
      else if (NAMED.has(key) && isJsonObject(value))
        for (const [name, schema] of Object.entries(value)) {
          this.#add(name, 'name', `a name in ${label}`, [...inner, name]);
          this.#within(schema, `"${name}" of ${label}`, [...inner, name]);
        }
      else this.#within(value, label, inner);
    }
  }

  #within(value: Json, label: string, path: Path): void {
    if (isJsonObject(value)) this.members(value, label, path);
    else if (Array.isArray(value))
      for (const [index, item] of value.entries()) this.#within(item as Json, label, [...path, index]);
    else this.#add(value, 'value', `a value in ${label}`, path);
  }

  #add(text: Json | undefined, place: TextPlace, label: string, path: Path): void {
    if (typeof text === 'string' && text !== '')
      this.texts.push({ place, text, label, path, function: this.#function });
  }
}
