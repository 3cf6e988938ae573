import { isJsonObject, type Json, jsonPointer, ownItems, ownProperty, showJson } from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { FIELD_NAME } from '../../model/sent.ts';
import { MIRRORED_IN } from '../../wires/mcp/http-headers.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { subschemasOf } from '../json-schema/drafts.ts';
import { nameOf, type PagedTool, toolsIn } from './received.ts';

export const parameterHeadersValid = defineCheck(
  'step',
  'parameter-headers-valid',
  'each x-mcp-header is the name of a header, once in its tool, on a text, an integer or a boolean that properties alone lead to',
  ({ asked }) => {
    const named = toolsIn(asked).map((listed) => ({ listed, faults: faultsIn(listed) }));
    if (named.every(({ faults }) => faults === null))
      return inapplicable('no tool has a parameter that a header repeats');
    return judgeEach(named, ({ faults }) => faults?.[0] ?? passed);
  },
);

/** What is wrong with the annotations of a tool; null if it has none. */
function faultsIn({ tool, pointer, exchangeKey }: PagedTool): readonly Finding[] | null {
  const root = ownProperty(tool, 'inputSchema');
  const annotated = new Set(
    [...schemasIn(root)].filter((one) => ownProperty(one, MIRRORED_IN) !== undefined),
  );
  if (annotated.size === 0) return null;
  const seen = new Set<string>();
  const fault = (at: readonly string[], expected: string, received: string): Finding =>
    failed({
      message: `clients leave the tool ${nameOf(tool)} out, because its ${MIRRORED_IN} is not valid`,
      expected,
      received,
      pointer: pointer + jsonPointer(['inputSchema', ...at]),
      exchangeKey,
    });
  const found = [...reachableFrom(root, [])].flatMap(([schema, at]) => {
    if (!annotated.delete(schema)) return [];
    const name = ownProperty(schema, MIRRORED_IN);
    const misnamed = (expected: string) => [fault([...at, MIRRORED_IN], expected, showJson(name))];
    if (typeof name !== 'string' || !FIELD_NAME.test(name))
      return misnamed('the name of a header: letters, digits and "-"');
    if (seen.has(name.toLowerCase())) return misnamed('each name once, in whatever case');
    seen.add(name.toLowerCase());
    if (isPrimitive(schema)) return [];
    return [fault(at, 'type: string, integer or boolean', `type: ${showJson(ownProperty(schema, 'type'))}`)];
  });
  const elsewhere = [...annotated].map((schema) =>
    fault([], 'a property that properties alone lead to', showJson(schema)),
  );
  return [...found, ...elsewhere];
}

/** Every schema in a schema, with itself. */
function schemasIn(root: Json | undefined): ReadonlySet<Json> {
  const all = new Set<Json>(root === undefined ? [] : [root]);
  for (const schema of all) for (const inner of subschemasOf(schema, '2020-12')) all.add(inner);
  return all;
}

/** The schemas of properties, and of their properties, with their paths. */
function* reachableFrom(
  schema: Json | undefined,
  path: readonly string[],
): Generator<readonly [Json, readonly string[]]> {
  const properties = ownProperty(schema, 'properties');
  if (!isJsonObject(properties)) return;
  for (const [key, property] of Object.entries(properties)) {
    const at = [...path, 'properties', key];
    yield [property, at];
    yield* reachableFrom(property, at);
  }
}

const PRIMITIVE: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** A value may also be null, which no header repeats. */
function isPrimitive(schema: Json): boolean {
  const type = ownProperty(schema, 'type');
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : type === undefined ? [] : [type];
  if (type !== undefined) return types.length > 0 && types.every((one) => PRIMITIVE.has(one));
  const values = [...ownItems(schema, 'enum'), ownProperty(schema, 'const') ?? []].flat();
  return (
    values.length > 0 &&
    values.every((one) => ['string', 'boolean'].includes(typeof one) || Number.isSafeInteger(one))
  );
}
