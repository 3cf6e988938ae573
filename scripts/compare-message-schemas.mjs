// Compares the message schemas of the Model Context Protocol that are written here (schemas/mcp) with a published one,
// which is not part of this repository: `node scripts/compare-message-schemas.mjs PATH`, with the revision in the path.
// Makes valid messages from each definition of the published schema, changes each part of each message, and prints
// every message that one of the two accepts and the other refuses. Not compared are formats such as uri.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import { build } from 'rolldown';

/** Mistakes of published schemas, and how they are corrected before the comparison. */
const ERRATA = [
  {
    reason: 'JSON-RPC 2.0 asks for the id null in the answer to what could not be read',
    correct: (defs) => {
      const error = defs.JSONRPCErrorResponse ?? defs.JSONRPCError;
      error.properties.id = { anyOf: [error.properties.id, { type: 'null' }] };
      error.required = error.required.filter((name) => name !== 'id');
    },
  },
  {
    reason: 'a JSON value can be null or a fraction, and its type in the protocol says so too',
    correct: (defs) => {
      if (defs.JSONValue !== undefined) defs.JSONValue = {};
    },
  },
];

/** The definitions of a result, of which a revision has one or more. */
const RESULTS = {
  initialize: ['InitializeResult'],
  ping: ['EmptyResult'],
  'server/discover': ['DiscoverResult'],
  'tools/list': ['ListToolsResult'],
  'tools/call': ['CallToolResult', 'CreateTaskResult', 'InputRequiredResult'],
  'resources/list': ['ListResourcesResult'],
  'resources/templates/list': ['ListResourceTemplatesResult'],
  'resources/read': ['ReadResourceResult', 'InputRequiredResult'],
  'resources/subscribe': ['EmptyResult'],
  'resources/unsubscribe': ['EmptyResult'],
  'prompts/list': ['ListPromptsResult'],
  'prompts/get': ['GetPromptResult', 'InputRequiredResult'],
  'completion/complete': ['CompleteResult'],
  'logging/setLevel': ['EmptyResult'],
  'tasks/get': ['GetTaskResult'],
  'tasks/result': ['GetTaskPayloadResult'],
  'tasks/cancel': ['CancelTaskResult'],
  'tasks/list': ['ListTasksResult'],
  'subscriptions/listen': ['SubscriptionsListenResult'],
};
/** In their place, what is no value of the type that a part has, and for most parts what is out of range. */
const REPLACEMENTS = [null, true, -1, 7, 1.5, 'other', '', [], ['other'], {}, { other: null }, { other: {} }];
const MAX_DEPTH = 9;

const [file] = process.argv.slice(2);
const revision = /\d{4}-\d\d-\d\d/.exec(file ?? '')?.[0];
if (revision === undefined) {
  console.error('usage: node scripts/compare-message-schemas.mjs PATH, with the revision in the path');
  process.exit(2);
}
const document = JSON.parse(readFileSync(file, 'utf8'));
const published = publishedSchema(structuredClone(document), []);
const corrected = publishedSchema(structuredClone(document), ERRATA);
const each = ERRATA.map((erratum) => ({
  ...erratum,
  accepts: publishedSchema(structuredClone(document), [erratum]).accepts,
  count: 0,
}));
const ours = await ourAccepts();

const counts = { definitions: 0, messages: 0, mutations: 0, accepted: 0, disagreements: 0 };
const seen = new Set();
for (const { name, answered, messages } of published.definitions()) {
  counts.definitions += 1;
  for (const message of messages) {
    counts.messages += 1;
    if (!corrected.accepts(message, answered))
      throw new Error(`not valid: ${name} ${JSON.stringify(message)}`);
    compare(name, message, answered);
    for (const changed of mutationsOf(message)) {
      const key = JSON.stringify([answered, changed]);
      if (seen.has(key)) continue;
      seen.add(key);
      counts.mutations += 1;
      compare(name, changed, answered);
    }
  }
}
for (const { reason, count } of each) console.log(`erratum, ${count} messages: ${reason}`);
console.log(`${revision}: ${JSON.stringify(counts)}`);
process.exitCode = counts.disagreements === 0 ? 0 : 1;

function compare(name, message, answered) {
  const problems = ours(message, answered);
  const isAccepted = problems.length === 0;
  if (isAccepted) counts.accepted += 1;
  if (isAccepted === corrected.accepts(message, answered)) {
    if (isAccepted === published.accepts(message, answered)) return;
    for (const erratum of each) if (erratum.accepts(message, answered) === isAccepted) erratum.count += 1;
    return;
  }
  counts.disagreements += 1;
  console.log(`${name}: ${isAccepted ? 'accepted here' : `refused here, ${JSON.stringify(problems)}`}`);
  console.log(`  ${JSON.stringify(message)}`);
}

function publishedSchema({ $defs, definitions }, errata) {
  const defs = $defs ?? definitions;
  for (const { correct } of errata) correct(defs);
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false });
  ajv.addSchema({ $defs, definitions }, 'published');
  const validators = new Map();
  const isValid = (name, value) => {
    if (!validators.has(name)) {
      const pointer = $defs === undefined ? 'definitions' : '$defs';
      validators.set(name, ajv.compile({ $ref: `published#/${pointer}/${name}` }));
    }
    return validators.get(name)(value);
  };
  const [notifications, requests] = ['ServerNotification', 'ServerRequest'].map(
    (union) =>
      new Map((defs[union]?.anyOf ?? []).map(({ $ref }) => [methodOf(defs[nameIn($ref)]), nameIn($ref)])),
  );
  const errors = new Map(
    Object.entries(defs).flatMap(([name, { properties }]) => {
      const code = properties?.error?.allOf?.[1]?.properties.code.const;
      return code === undefined ? [] : [[code, name]];
    }),
  );
  const results = Object.entries(RESULTS).flatMap(([method, names]) =>
    names.filter((name) => defs[name] !== undefined && isServed(method)).map((name) => [method, name]),
  );
  function isServed(method) {
    return Object.values(defs).some((one) => methodOf(one) === method);
  }
  const response = defs.JSONRPCResultResponse === undefined ? 'JSONRPCResponse' : 'JSONRPCResultResponse';
  const failure = defs.JSONRPCErrorResponse === undefined ? 'JSONRPCError' : 'JSONRPCErrorResponse';

  /** Which definition of the result counts; since 2026-07-28 the result says whether it asks for input. */
  const acceptsResult = (method, result) => {
    const possible = results.filter(([of]) => of === method).map(([, name]) => name);
    if (!possible.includes('InputRequiredResult')) return possible.some((name) => isValid(name, result));
    switch (result.resultType) {
      case 'complete':
        return isValid(possible[0], result);
      case 'input_required':
        return isValid('InputRequiredResult', result);
      default:
        return true;
    }
  };
  return {
    accepts: (message, answered) => {
      if (typeof message !== 'object' || message === null || Array.isArray(message)) return false;
      const { method, id, result, error } = message;
      if (method !== undefined) {
        const [envelope, named] =
          id === undefined ? ['JSONRPCNotification', notifications] : ['JSONRPCRequest', requests];
        if (!isValid(envelope, message)) return false;
        return !named.has(method) || isValid(named.get(method), message);
      }
      if (error !== undefined && result !== undefined) return false;
      if (error === undefined) return isValid(response, message) && acceptsResult(answered, result);
      if (!isValid(failure, message)) return false;
      // The definition repeats the id without null.
      const { id: _id, ...withoutId } = message;
      const named = errors.get(error.code);
      return named === undefined || isValid(named, { ...withoutId, id: 1 });
    },
    /** Every definition of a message, with valid messages. */
    *definitions() {
      const make = (schema) => valuesOf(schema, defs, 0);
      for (const name of [...notifications.values(), ...requests.values(), ...errors.values(), failure])
        yield { name, answered: null, messages: make(defs[name]).map((one) => withEnvelope(one, requests)) };
      for (const [method, name] of results)
        yield {
          name,
          answered: method,
          messages: make(defs[name]).map((result) => ({
            jsonrpc: '2.0',
            id: 1,
            result: withResultType(result, name),
          })),
        };
    },
  };
}

/** Older revisions define the members of JSON-RPC only in the union of all messages. */
function withEnvelope(message, requests) {
  const needsId = message.id === undefined && requests.has(message.method);
  return { ...message, jsonrpc: '2.0', ...(needsId ? { id: 1 } : {}) };
}

function withResultType(result, name) {
  if (result.resultType === undefined) return result;
  return { ...result, resultType: name === 'InputRequiredResult' ? 'input_required' : 'complete' };
}

function methodOf(schema) {
  return schema?.properties?.method?.const;
}

function nameIn(reference) {
  return reference.split('/').at(-1);
}

/** Values that a schema accepts: of each alternative, with every property and with the required ones only. */
function valuesOf(schema, defs, depth) {
  const of = (inner) => valuesOf(inner, defs, depth + 1);
  if (schema === true) return ['anything'];
  if (schema.$ref !== undefined) return of(defs[nameIn(schema.$ref)]);
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum.slice(0, 2);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.flatMap(of);
  if (schema.allOf !== undefined)
    return schema.allOf
      .map(of)
      .reduce((all, values) => all.flatMap((one) => values.map((value) => ({ ...one, ...value }))));
  const [type = 'null'] = [schema.type ?? []].flat();
  if (schema.type === undefined) return ['anything'];
  switch (type) {
    case 'object':
      return objectsOf(schema, defs, depth);
    case 'array':
      return depth > MAX_DEPTH ? [[]] : [of(schema.items ?? {}).slice(0, 12)];
    case 'string':
      return ['text'];
    case 'boolean':
      return [false];
    default:
      return [schema.minimum ?? 1];
  }
}

function objectsOf({ properties = {}, required = [], additionalProperties }, defs, depth) {
  const values = (names) => names.map((name) => [name, valuesOf(properties[name] ?? {}, defs, depth + 1)]);
  const least = Object.fromEntries(values(required).map(([name, [first]]) => [name, first]));
  if (depth > MAX_DEPTH) return [least];
  const all = values(Object.keys(properties));
  const most = { ...Object.fromEntries(all.map(([name, [first]]) => [name, first])) };
  if (typeof additionalProperties === 'object')
    for (const [index, value] of valuesOf(additionalProperties, defs, depth + 1).entries())
      most[`further${index}`] = value;
  // The other alternatives of each property.
  const others = all.flatMap(([name, [, ...more]]) => more.map((value) => ({ ...most, [name]: value })));
  return [most, least, ...(depth > 5 ? [] : others.slice(0, 40))];
}

/** The value with one part changed: each property left out, and each part replaced by values of every kind. */
function* mutationsOf(value) {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const put = (part) => (Array.isArray(value) ? value.with(Number(key), part) : { ...value, [key]: part });
    if (!Array.isArray(value)) {
      const { [key]: _left, ...rest } = value;
      yield rest;
    }
    for (const part of REPLACEMENTS) yield put(part);
    for (const part of mutationsOf(value[key])) yield put(part);
  }
}

/** The function of the product, bundled, because it is written in TypeScript. */
async function ourAccepts() {
  const folder = mkdtempSync(path.join(tmpdir(), 'message-schemas-'));
  try {
    await build({
      input: { message: 'src/wires/mcp/message-schema.ts', evaluator: 'src/checks/json/schema-evaluator.ts' },
      platform: 'node',
      logLevel: 'warn',
      output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
    });
    const load = (name) => import(pathToFileURL(path.join(folder, name)).href);
    const { problemsOfMessage } = await load('message.mjs');
    const { createSchemaEvaluator } = await load('evaluator.mjs');
    const schemas = createSchemaEvaluator();
    return (message, answered) => problemsOfMessage({ message, version: revision, answered }, schemas);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
