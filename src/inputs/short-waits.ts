import { requiredNames, typesOf } from '../checks/capabilities/descriptor.ts';
import { doubleOf } from '../json/exact-number.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty, ownText } from '../json/json.ts';
import { words, wordsIn } from '../text/words.ts';

/** Words in the name of a parameter that may say how long the call shall take. */
const WAITING = words('duration delay sleep wait');
/** Any other word beside them names what else lasts that long: a meeting, a video, a journey. */
const OF_THE_CALL = words(
  'operation call request task job process processing run execution step steps simulation test work response answer',
  'take takes taking sleep sleeping wait waiting delay pause retry time period length long it to before after',
  'total overall max maximum desired optional requested expected approximate exact default custom of in for the a an its this each',
  'ms millis millisecond milliseconds s sec secs second seconds',
);
/** Even the shortest of these is longer than a check waits for an answer by default, so no call is meant. */
const LONG_UNIT = /\b(?:minutes?|mins|hours?|hrs?|days?|nights?|weeks?|months?|years?)\b/i;
/** "Duration of the meeting", "how long the meeting is", "meeting duration". */
const WHAT_LASTS =
  /\b(?:(?:duration|length|delay) of|how long) (?:(?:the|an?|this|each|your) )?(\p{L}+)|(\p{L}+) (?:duration|length)\b/giu;
const MILLISECONDS = /\b(?:ms|millis|milliseconds?)\b/i;
const SECONDS = /\b(?:s|secs?|seconds?)\b/i;
/** A wait of which the unit is unknown may have to be a whole number. */
const SHORT = { milliseconds: 100, seconds: 0.1, whole: 1 };
/** A declared maximum up to which a call does not last long. */
const SHORT_ENOUGH = { milliseconds: 1000, seconds: 1, whole: 1 };

/** Of a number without a maximum beside a wait: so many times its default, and at least so many. */
const PARTS = 2;
const MIN_PARTS = 10;

const known = new WeakMap<JsonObject, JsonObject>();

/**
 * The schema of parameters, narrowed so that a call asks for no long wait: every input that it accepts is valid, and a
 * parameter that would wait for long if it were left out is required. The same object if there is no such parameter. Pure.
 */
export function withShortWaits(parameters: Json): Json {
  if (!isJsonObject(parameters)) return parameters;
  const before = known.get(parameters);
  if (before !== undefined) return before;
  const waiting = waitsOf(parameters);
  let narrowed = parameters;
  if (waiting.length > 0) {
    const properties = Object.fromEntries([
      ...partsOf(parameters),
      ...waiting.map(({ name, schema }) => [name, schema]),
    ]);
    const needed = waiting.flatMap(({ name, isNeeded }) => (isNeeded ? [name] : []));
    narrowed = {
      ...parameters,
      properties: { ...(ownProperty(parameters, 'properties') as JsonObject), ...properties },
      required: [...new Set([...requiredNames(parameters), ...needed])],
    };
  }
  known.set(parameters, narrowed);
  return narrowed;
}

const descriptors = new WeakMap<JsonObject, JsonObject>();

/** The descriptor with such parameters; the same object if nothing is narrowed. */
export function briefly(descriptor: JsonObject): JsonObject {
  const parameters = ownProperty(descriptor, 'parameters') ?? {};
  const narrowed = withShortWaits(parameters);
  if (narrowed === parameters) return descriptor;
  const made = descriptors.get(descriptor) ?? { ...descriptor, parameters: narrowed };
  descriptors.set(descriptor, made);
  return made;
}

/** Names of the parameters that say how long a call takes. */
export function waitingNames(descriptor: JsonObject): readonly string[] {
  return waitsOf(ownProperty(descriptor, 'parameters') ?? {}).map(({ name }) => name);
}

/** The input, asking for no long wait. */
export function withShortInput(input: JsonObject, parameters: Json): JsonObject {
  const long = waitsOf(parameters).filter(({ name, most, isNeeded }) => {
    const value = doubleOf(ownProperty(input, name));
    return value === undefined ? isNeeded : value > most;
  });
  return long.length === 0
    ? input
    : { ...input, ...Object.fromEntries(long.map(({ name, most }) => [name, most])) };
}

function waitsOf(parameters: Json) {
  const properties = ownProperty(parameters, 'properties');
  return isJsonObject(properties)
    ? Object.entries(properties).flatMap(([name, schema]) => waitOf(name, schema) ?? [])
    : [];
}

/** The other numbers of a function that waits for long: of how many parts the wait consists, each of which may take time. */
function partsOf(parameters: Json): readonly (readonly [string, Json])[] {
  return Object.entries(ownProperty(parameters, 'properties') as JsonObject).flatMap(([name, schema]) => {
    const usual = doubleOf(ownProperty(schema, 'default'));
    const isBounded = ['maximum', 'exclusiveMaximum', 'enum', '$ref'].some(
      (keyword) => ownProperty(schema, keyword) !== undefined,
    );
    return usual === undefined || isBounded || !isJsonObject(schema)
      ? []
      : [[name, { ...schema, maximum: Math.max(MIN_PARTS, PARTS * usual) }] as const];
  });
}

function waitOf(name: string, schema: Json) {
  const types = typesOf(schema) ?? [];
  if (!isJsonObject(schema) || types.length !== 1 || !['integer', 'number'].includes(types[0] ?? ''))
    return null;
  if (!isOfTheCall(name, ownText(schema, 'description') ?? '')) return null;
  // Their values are chosen by the schema.
  if (['enum', 'const', 'multipleOf', '$ref'].some((keyword) => Object.hasOwn(schema, keyword))) return null;
  const number = (keyword: string): number | undefined => doubleOf(ownProperty(schema, keyword));
  const says = `${wordsIn(name).join(' ')} ${ownText(schema, 'description') ?? ''}`;
  const isFraction = types[0] === 'number' && SECONDS.test(says);
  const unit = MILLISECONDS.test(says) ? 'milliseconds' : isFraction ? 'seconds' : 'whole';
  const least = Math.max(number('minimum') ?? 0, (number('exclusiveMinimum') ?? -1) + 1);
  const most = Math.max(SHORT[unit], Math.ceil(least));
  const [maximum, limit] = [number('maximum') ?? Infinity, number('exclusiveMaximum') ?? Infinity];
  if (Math.min(maximum, limit) <= SHORT_ENOUGH[unit]) return null;
  // Between its limits is no such number.
  if (most > maximum || most >= limit) return null;
  const { examples: _, ...others } = schema;
  return {
    name,
    most,
    schema: { ...others, maximum: most, default: most },
    isNeeded: (number('default') ?? 0) > most,
  };
}

/** Whether a time is how long the call takes, and not how long something else does. */
function isOfTheCall(name: string, description: string): boolean {
  const named = wordsIn(name);
  if (!named.some((word) => WAITING.has(word))) return false;
  const units = [...named, description].join(' ');
  if (LONG_UNIT.test(units) && !SECONDS.test(units) && !MILLISECONDS.test(units)) return false;
  const lasting = [...description.matchAll(WHAT_LASTS)].flatMap(([, after, before]) => after ?? before ?? []);
  return [...named, ...lasting.flatMap(wordsIn)].every((word) => WAITING.has(word) || OF_THE_CALL.has(word));
}
