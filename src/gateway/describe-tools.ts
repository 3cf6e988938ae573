import { isJsonObject, type Json, type JsonObject, ownProperty } from '../json/json.ts';
import type { SubjectInfo } from './subject.ts';

/** What a server says of itself when a conversation is opened. */
export type SelfDescription = Omit<SubjectInfo, 'offersTools' | 'announcesTools'>;

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
export const CONTENT_RESULT: JsonObject = {
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
