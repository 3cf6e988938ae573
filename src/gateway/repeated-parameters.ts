import { isJsonObject, type Json, ownProperty } from '../json/json.ts';
import { MIRRORED_IN, mirroredHeaders, mirroredParameters } from '../wires/mcp/http-headers.ts';
import type { SubjectInfo } from './subject.ts';

/** Whether headers repeat parameters of calls: over streamable HTTP, since revision 2026-07-28. */
function hasRepeated({ transport, protocolVersion }: SubjectInfo): boolean {
  return transport === 'streamable HTTP' && protocolVersion >= '2026-07-28';
}

/** The headers that repeat parameters of a call; a server refuses a call without them. */
export function repeatedHeaders(tool: Json, input: Json): Readonly<Record<string, string>> {
  const parameters = mirroredParameters(ownProperty(tool, 'inputSchema'));
  return Object.fromEntries(isJsonObject(input) ? mirroredHeaders(parameters, input) : []);
}

/** Whether a client may offer the tool: the protocol asks to leave out those whose headers are not valid. */
export function isOffered(tool: Json, info: SubjectInfo): boolean {
  if (!hasRepeated(info)) return true;
  const schema = ownProperty(tool, 'inputSchema');
  const parameters = mirroredParameters(schema);
  const names = new Set(parameters.map(({ name }) => name.toLowerCase()));
  const isSound = parameters.every(({ path }) => isPrimitive(at(schema, path)));
  return isSound && names.size === parameters.length && annotationsIn(schema) === parameters.length;
}

const at = (schema: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((part, name) => ownProperty(ownProperty(part, 'properties'), name), schema);

const PRIMITIVE: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

function isPrimitive(schema: Json | undefined): boolean {
  const types = [ownProperty(schema, 'type')].flat().filter((type) => type !== 'null');
  return types.length > 0 && types.every((type) => PRIMITIVE.has(type));
}

/** Members whose keys are names that the server chose. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Members that are values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** How many schemas anywhere in a schema name a header. */
function annotationsIn(root: Json | undefined): number {
  let count = 0;
  const left: Json[] = root === undefined ? [] : [root];
  for (let schema = left.pop(); schema !== undefined; schema = left.pop()) {
    if (Array.isArray(schema)) left.push(...schema);
    if (!isJsonObject(schema)) continue;
    if (Object.hasOwn(schema, MIRRORED_IN)) count += 1;
    for (const [key, value] of Object.entries(schema))
      if (MAPS.has(key) && isJsonObject(value)) left.push(...Object.values(value));
      else if (!VALUES.has(key)) left.push(value);
  }
  return count;
}
