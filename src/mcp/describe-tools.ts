import { isJsonObject, type Json, type JsonObject, ownProperty } from '../model/json.ts';
import { CONTENT_RESULT } from '../model/tool-result.ts';

/** Whether a tool can be called at once; others run only as tasks, for which the contract has no call. */
export function isCallable(tool: Json): boolean {
  return ownProperty(ownProperty(tool, 'execution'), 'taskSupport') !== 'required';
}

/** The descriptor of a tool in form B. What the tool declares is kept; members that the contract needs are added. */
export function descriptorInFormB(tool: Json): Json {
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
