import { decodeJson } from '../json/decode-json.ts';
import {
  canonicalJson,
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  ownProperty,
  ownText,
} from '../json/json.ts';
import {
  CONTRACT_SCHEMA_ID,
  type Contract,
  type ContractFunction,
  type ContractList,
} from '../model/contract.ts';
import { type Answer, type Exchange, isAnswer } from '../model/exchange.ts';
import type { TestResult } from '../model/report.ts';
import type { Listed } from '../model/request-template.ts';
import { bufferFrom, isHttpRequest, messageMethod, sentJson } from '../model/sent.ts';
import { isMessage } from '../wires/mcp/answer.ts';
import { entriesOn, LISTS, nextCursor, resultOf } from '../wires/mcp/lists.ts';
import { openedBy } from '../wires/mcp/opening.ts';

// This folder is about what a server offers, as a value that does not depend on the run: read from exchanges (here),
// written and read as a file, compared with an older one, and counted in tokens. It is pure.

/** The contract of the server that a result is about; null if the list of its functions was not read. Pure. */
export function contractOf(result: TestResult): Contract | null {
  return result.settings.directory === undefined ? contractIn(result.exchanges) : null;
}

/**
 * The contract of a server, from the exchanges of a run: the first answers that list what it offers. Null if no answer
 * lists its functions. Pure.
 */
export function contractIn(exchanges: readonly Exchange[]): Contract | null {
  const contract = exchanges.some(isMessage) ? contractOfMcp(exchanges) : contractOfRest(exchanges);
  return contract === null ? null : (JSON.parse(canonicalJson(contract as unknown as Json)) as Contract);
}

function contractOfRest(exchanges: readonly Exchange[]): Contract | null {
  const bodies = exchanges.filter(isAnswer).flatMap((exchange) => {
    const { request } = exchange;
    const isRead = isHttpRequest(request) && new URL(request.url).pathname.endsWith('/capabilities');
    if (exchange.kind !== 'answered' || !isRead || exchange.response.status !== 200) return [];
    const { value } = decodeJson(bufferFrom(exchange.response.body));
    return isJsonObject(value) && Array.isArray(value.functions) ? [value] : [];
  });
  const [body] = bodies;
  if (body === undefined) return null;
  const functions = itemsOf(body.functions).filter(isJsonObject).map(functionOfRest);
  const isOfB = itemsOf(body.functions).some((entry) => ownProperty(entry, 'parameters') !== undefined);
  return {
    schema: CONTRACT_SCHEMA_ID,
    wire: isOfB ? 'B' : 'A',
    server: identity(ownProperty(body, 'server')),
    functions: named(functions),
    prompts: [],
    resources: [],
    resourceTemplates: [],
    unread: [],
  };
}

/** Of form A only the names of inputs and outputs are known; a caller gives all inputs. */
function functionOfRest(descriptor: JsonObject): ContractFunction | null {
  const { inputs, outputs, parameters, returns, ...rest } = descriptor;
  return functionIn(rest, parameters ?? keysAsSchema(inputs), returns ?? keysAsSchema(outputs));
}

function keysAsSchema(keys: Json | undefined): Json | undefined {
  if (!Array.isArray(keys)) return undefined;
  const names = itemsOf(keys).filter((key) => typeof key === 'string');
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])), required: names };
}

function contractOfMcp(exchanges: readonly Exchange[]): Contract | null {
  const tools = listIn(exchanges, 'functions');
  if (tools === null) return null;
  const { opened, said } = openingIn(exchanges);
  const lists = (['prompts', 'resources', 'templates'] as const).map((listed) => ({
    member: LISTS[listed].member as ContractList,
    list: listIn(exchanges, listed),
  }));
  const entriesOf = (wanted: ContractList, key: string): readonly JsonObject[] =>
    lists.flatMap(({ member, list }) => (member === wanted ? sorted(list?.entries ?? [], key) : []));
  const instructions = ownText(said, 'instructions');
  return {
    schema: CONTRACT_SCHEMA_ID,
    wire: 'mcp',
    server: {
      ...(opened?.name == null ? {} : { name: opened.name }),
      ...(opened?.serverVersion == null ? {} : { version: opened.serverVersion }),
    },
    ...(opened === null ? {} : { revision: opened.version, capabilities: opened.capabilities }),
    ...(instructions === null ? {} : { instructions }),
    functions: named(
      tools.entries.map(({ inputSchema, outputSchema, ...rest }) =>
        functionIn(rest, inputSchema, outputSchema),
      ),
    ),
    prompts: entriesOf('prompts', 'name'),
    resources: entriesOf('resources', 'uri'),
    resourceTemplates: entriesOf('resourceTemplates', 'uriTemplate'),
    unread: [
      ...(tools.isWhole ? [] : (['functions'] as const)),
      ...lists.flatMap(({ member, list }) => (list === null || list.isWhole ? [] : [member])),
    ],
  };
}

/** The first answers that open a conversation, and what the server says of itself in them. */
function openingIn(exchanges: readonly Exchange[]) {
  for (const exchange of exchanges.filter(isAnswer)) {
    if (!OPENING.has(messageMethod(exchange.request) ?? '')) continue;
    const opened = openedBy([exchange]);
    if (opened !== null) return { opened, said: resultOf(exchange) };
  }
  return { opened: null, said: undefined };
}

const OPENING: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

interface ReadList {
  readonly entries: readonly JsonObject[];
  readonly isWhole: boolean;
}

/** The pages from the first answered request for the first one. Null if none was answered with a list. */
function listIn(exchanges: readonly Exchange[], listed: Listed): ReadList | null {
  const { method, member } = LISTS[listed];
  const pages = exchanges
    .filter(isAnswer)
    .filter(({ request }) => messageMethod(request) === method)
    .filter((answer) => Array.isArray(ownProperty(resultOf(answer), member)));
  const cursorOf = ({ request }: Answer): Json | undefined =>
    ownProperty(ownProperty(sentJson(request), 'params'), 'cursor');
  const read: Answer[] = [];
  let page = pages.find((one) => cursorOf(one) === undefined);
  let cursor: Json | undefined;
  while (page !== undefined && !read.includes(page)) {
    read.push(page);
    cursor = nextCursor(page);
    page = cursor === undefined ? undefined : pages.find((one) => cursorOf(one) === cursor);
  }
  if (read.length === 0) return null;
  const entries = read.flatMap((one) => entriesOn(one, listed)).map(({ entry }) => entry);
  return { entries: entries.filter(isJsonObject), isWhole: cursor === undefined };
}

function functionIn(
  { name, title, description, annotations, ...more }: JsonObject,
  input: Json | undefined,
  output: Json | undefined,
): ContractFunction | null {
  if (typeof name !== 'string') return null;
  return {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    input: input ?? null,
    output: output ?? null,
    ...(isJsonObject(annotations) ? { annotations } : {}),
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
}

/** By name, each once: of equal names the first counts, as for clients. */
function named(functions: readonly (ContractFunction | null)[]): readonly ContractFunction[] {
  const byName = new Map(
    functions.flatMap((one) => (one === null ? [] : [[one.name, one] as const])).toReversed(),
  );
  return [...byName.values()].toSorted((left, right) => order(left.name, right.name));
}

function sorted(entries: readonly JsonObject[], key: string): readonly JsonObject[] {
  return entries.toSorted((left, right) => order(ownText(left, key) ?? '', ownText(right, key) ?? ''));
}

/** The same on every machine, whatever its language. */
function order(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function identity(server: Json | undefined): Contract['server'] {
  const [name, version] = [ownText(server, 'name'), ownText(server, 'version')];
  return { ...(name === null ? {} : { name }), ...(version === null ? {} : { version }) };
}
