import { decodeJson } from '../json/decode-json.ts';
import { isJsonObject, itemsOf, type Json, type JsonObject, ownProperty, ownText } from '../json/json.ts';
import { requireArguments, required } from '../model/arguments.ts';
import {
  CONTRACT_SCHEMA_ID,
  type Contract,
  type ContractFunction,
  type ContractList,
} from '../model/contract.ts';
import { type Answer, type Exchange, isAnswer } from '../model/exchange.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import type { Listed } from '../model/request-template.ts';
import { bufferFrom, isHttpRequest, messageMethod, sentJson } from '../model/sent.ts';
import { answeringMessage, isMessage } from '../wires/mcp/answer.ts';
import { entriesOn, LISTS, nextCursor, resultOf } from '../wires/mcp/lists.ts';
import { METHOD_NOT_FOUND, openedBy } from '../wires/mcp/opening.ts';

import { sortedContract } from './sorted-contract.ts';

// This folder is about what a server offers, as a value that does not depend on the run: read from exchanges (here),
// written and read as a file, compared with an older one, and counted in tokens. It is pure.

/** The contract of the server that a result is about; null if the list of its functions was not read. Pure. */
export function contractOf(result: TestResult): Contract | null {
  requireArguments('contractOf', { result }, { result: required(RESULT) });
  return result.settings.directory === undefined ? contractIn(result.exchanges) : null;
}

/**
 * The contract of a server, from the exchanges of a run: the first answers that list what it offers. Null if no answer
 * lists its functions. Pure.
 */
export function contractIn(exchanges: readonly Exchange[]): Contract | null {
  return exchanges.some(isMessage) ? contractOfMcp(exchanges) : contractOfRest(exchanges);
}

function contractOfRest(exchanges: readonly Exchange[]): Contract | null {
  const [body] = exchanges.filter(isAnswer).flatMap((one) => {
    const read = capabilitiesIn(one);
    return read === null ? [] : [read];
  });
  if (body === undefined) return null;
  const functions = itemsOf(body.functions).filter(isJsonObject).flatMap(functionOfRest);
  const isOfB = itemsOf(body.functions).some((entry) => ownProperty(entry, 'parameters') !== undefined);
  return sortedContract({
    schema: CONTRACT_SCHEMA_ID,
    wire: isOfB ? 'B' : 'A',
    server: identity(ownProperty(body, 'server')),
    functions,
    prompts: [],
    resources: [],
    resourceTemplates: [],
    unread: [],
  });
}

/** The lists of which the newer contract may lack entries that the older one has, because not all pages were read. */
export function unreadOf(before: Contract, after: Contract): Contract['unread'] {
  return after.unread.filter((list) => before[list].length > 0);
}

/** The answer of /capabilities, if it lists functions. */
function capabilitiesIn(exchange: Answer): JsonObject | null {
  const { request } = exchange;
  const isRead = isHttpRequest(request) && new URL(request.url).pathname.endsWith('/capabilities');
  if (exchange.kind !== 'answered' || !isRead || exchange.response.status !== 200) return null;
  const { value } = decodeJson(bufferFrom(exchange.response.body));
  return isJsonObject(value) && Array.isArray(value.functions) ? value : null;
}

/** The functions as an answer of /capabilities lists them; null for another answer. */
export function describedFunctions(exchange: Answer): readonly Json[] | null {
  const body = capabilitiesIn(exchange);
  return body === null ? null : itemsOf(body.functions);
}

/** Of form A only the names of inputs and outputs are known; a caller gives all inputs. */
function functionOfRest(descriptor: JsonObject): readonly ContractFunction[] {
  const { inputs, outputs, parameters, returns, ...rest } = descriptor;
  return functionIn(rest, parameters ?? keysAsSchema(inputs), returns ?? keysAsSchema(outputs));
}

function keysAsSchema(keys: Json | undefined): Json | undefined {
  if (!Array.isArray(keys)) return undefined;
  const names = itemsOf(keys).filter((key) => typeof key === 'string');
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])), required: names };
}

function contractOfMcp(exchanges: readonly Exchange[]): Contract | null {
  const { opened, said } = openingIn(exchanges);
  const tools = listIn(exchanges, 'functions') ?? withoutList(exchanges, 'functions', opened?.capabilities);
  // Nothing is known of a server whose tools were not read.
  if (tools.entries.length === 0 && !tools.isWhole) return null;
  const lists = (['prompts', 'resources', 'templates'] as const).map((listed) => ({
    member: LISTS[listed].member as ContractList,
    list: listIn(exchanges, listed) ?? withoutList(exchanges, listed, opened?.capabilities),
  }));
  const entriesOf = (wanted: ContractList): readonly JsonObject[] =>
    lists.flatMap(({ member, list }) => (member === wanted ? list.entries : []));
  const instructions = ownText(said, 'instructions');
  return sortedContract({
    schema: CONTRACT_SCHEMA_ID,
    wire: 'mcp',
    server: {
      ...(opened?.name == null ? {} : { name: opened.name }),
      ...(opened?.serverVersion == null ? {} : { version: opened.serverVersion }),
    },
    ...(opened === null ? {} : { revision: opened.version, capabilities: opened.capabilities }),
    ...(instructions === null ? {} : { instructions }),
    functions: tools.entries.flatMap(({ inputSchema, outputSchema, ...rest }) =>
      functionIn(rest, inputSchema, outputSchema),
    ),
    prompts: entriesOf('prompts'),
    resources: entriesOf('resources'),
    resourceTemplates: entriesOf('resourceTemplates'),
    unread: [
      ...(tools.isWhole ? [] : (['functions'] as const)),
      ...lists.flatMap(({ member, list }) => (list.isWhole ? [] : [member])),
    ],
  });
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

/** A server has no such list without its capability, or if it does not know the method; otherwise it was not read. */
function withoutList(
  exchanges: readonly Exchange[],
  listed: Listed,
  capabilities: JsonObject | undefined,
): ReadList {
  const { method } = LISTS[listed];
  const isOffered = ownProperty(capabilities, CAPABILITY[listed]) !== undefined;
  const isUnknown = exchanges.filter(isAnswer).some((answer) => {
    const message = messageMethod(answer.request) === method ? answeringMessage(answer)?.message : undefined;
    return message?.kind === 'error' && message.code === METHOD_NOT_FOUND;
  });
  return { entries: [], isWhole: capabilities !== undefined && (!isOffered || isUnknown) };
}

const CAPABILITY: Readonly<Record<Listed, string>> = {
  functions: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resources',
};

function functionIn(
  { name, title, description, annotations, ...more }: JsonObject,
  input: Json | undefined,
  output: Json | undefined,
): readonly ContractFunction[] {
  if (typeof name !== 'string') return [];
  const one = {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    input: input ?? null,
    output: output ?? null,
    ...(isJsonObject(annotations) ? { annotations } : {}),
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
  return [one];
}

function identity(server: Json | undefined): Contract['server'] {
  const [name, version] = [ownText(server, 'name'), ownText(server, 'version')];
  return { ...(name === null ? {} : { name }), ...(version === null ? {} : { version }) };
}
