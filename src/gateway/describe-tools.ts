import { isJsonObject, type Json, type JsonObject, ownProperty } from '../json/json.ts';
import { CONTENT_RESULT } from '../model/tool-result.ts';
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
    description: description ?? title ?? titleIn(tool) ?? '',
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

/** The older place of a title. */
function titleIn({ annotations }: JsonObject): Json | undefined {
  return ownProperty(annotations, 'title');
}

function propertyNames(schema: Json | undefined): readonly string[] {
  const properties = ownProperty(schema, 'properties');
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
