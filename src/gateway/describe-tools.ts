import { isJsonObject, type Json, type JsonObject, ownProperty } from '../json/json.ts';
import { textsIn } from '../wires/mcp/answer.ts';
import type { SubjectInfo } from './subject.ts';

/** What a server says of itself when a conversation is opened. */
type SelfDescription = Omit<SubjectInfo, 'offersTools' | 'announcesTools'>;

/** Version of the contract that the record follows (specification, section 2.5). */
export const CONTRACT_VERSION = '1.0';

/** The capabilities record in form B of a server that lists these tools; `server` is null if no conversation is open. */
export function capabilitiesInFormB(tools: readonly Json[], server: SelfDescription | null): JsonObject {
  return {
    mcpVersion: CONTRACT_VERSION,
    ...(server === null ? {} : { server: serverIn(server) }),
    functions: tools.filter(isCallable).map(descriptorInFormB),
  };
}

function serverIn({
  name,
  version,
  title,
  description,
  protocolVersion,
  transport,
}: SelfDescription): JsonObject {
  return {
    name,
    version,
    description: description ?? title ?? name,
    ...(title === null ? {} : { title }),
    protocolVersion,
    transport,
  };
}

/** Whether a tool can be called at once; others run only as tasks, for which the contract has no call. */
export function isCallable(tool: Json): boolean {
  return ownProperty(ownProperty(tool, 'execution'), 'taskSupport') !== 'required';
}

/** The descriptor of a tool in form B. What the tool declares is kept; members that the contract needs are added. */
function descriptorInFormB(tool: Json): Json {
  if (!isJsonObject(tool)) return tool;
  const { inputSchema, outputSchema, description, title, ...rest } = tool;
  return {
    ...rest,
    ...(title === undefined ? {} : { title }),
    description: description ?? title ?? ownProperty(tool.annotations, 'title') ?? '',
    ...(inputSchema === undefined ? {} : { parameters: withProperties(inputSchema) }),
    returns: outputSchema === undefined ? CONTENT_RESULT : withProperties(outputSchema),
  };
}

/** The descriptor of a tool in form A. */
export function descriptorInFormA(tool: Json): Json {
  if (!isJsonObject(tool)) return tool;
  const { name, description = ownProperty(tool, 'title') ?? '' } = tool;
  return {
    ...(name === undefined ? {} : { name }),
    description,
    inputs: propertyNames(tool.inputSchema),
    outputs: propertyNames(tool.outputSchema ?? CONTENT_RESULT),
  };
}

/** A schema of the server may leave `properties` out; the contract needs them. */
function withProperties(schema: Json): Json {
  const isPlain = isJsonObject(schema) && schema.type === 'object' && schema.properties === undefined;
  return isPlain ? { ...schema, properties: {} } : schema;
}

function propertyNames(schema: Json | undefined): readonly string[] {
  const properties = ownProperty(schema, 'properties');
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

/**
 * What a call of a tool without an output schema returns: its structured content if it gives some, otherwise
 * `{ content }` with the items of the tool (Model Context Protocol, server features, tools).
 */
const CONTENT_RESULT: JsonObject = {
  type: 'object',
  description: 'The structured content of the tool; without any, its content.',
  properties: {
    content: {
      type: 'array',
      description: 'Texts, images, sounds, links and embedded resources, in the order of the tool.',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', description: 'text, image, audio, resource_link or resource.' },
        },
        required: ['type'],
      },
    },
  },
};

type CallOutcome =
  | { readonly kind: 'returned'; readonly result: JsonObject }
  | { readonly kind: 'failed'; readonly message: string; readonly content: Json }
  | { readonly kind: 'invalid'; readonly problem: string };

/**
 * The result of `tools/call` as the contract knows it. A tool with an output schema must return structured content
 * (Model Context Protocol, server features, tools). Pure.
 */
export function outcomeOf(called: JsonObject, hasOutputSchema: boolean): CallOutcome {
  const { content, structuredContent, isError } = called;
  if (isError !== undefined && typeof isError !== 'boolean')
    return { kind: 'invalid', problem: 'isError is neither true nor false' };
  if (isError === true)
    return { kind: 'failed', message: textsIn(called).join('\n') || NO_TEXT, content: content ?? [] };
  if (isJsonObject(structuredContent)) return { kind: 'returned', result: structuredContent };
  if (structuredContent !== undefined) return { kind: 'invalid', problem: 'structuredContent is no object' };
  if (hasOutputSchema)
    return {
      kind: 'invalid',
      problem: 'the tool has an outputSchema, and its result has no structuredContent',
    };
  if (!Array.isArray(content)) return { kind: 'invalid', problem: 'the result has no list called content' };
  const wrong = (content as readonly Json[]).findIndex(
    (item) => typeof ownProperty(item, 'type') !== 'string',
  );
  if (wrong !== -1) return { kind: 'invalid', problem: `item ${wrong} of content has no type` };
  return { kind: 'returned', result: { content } };
}

const NO_TEXT = 'The tool failed without saying why.';
