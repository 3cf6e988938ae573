import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonPointer,
  ownProperty,
  sameJson,
  showJson,
} from '../../json/json.ts';
import { type Evidence, failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { idOf, recordsById } from './search-page.ts';
import { fieldProblem, LIVE_FIELDS, RECORD_FIELDS } from './server-records.ts';

export const detailsAgree = defineCheck(
  'json',
  'details-agree',
  'the details are those of the requested server, and agree with its search record where both have a field',
  ({ value, item, used }) => {
    const id = idOf(item);
    const details = id === null ? null : objectWithId(value, id);
    if (details === null)
      return failed({
        message: 'the details do not have the id of the requested server',
        expected: `an object whose id is ${showJson(id)}`,
        received: showJson(value),
      });
    const shown = [item, recordsById(used.again ?? []).get(id ?? '')].filter(isJsonObject);
    return judgeEach(RECORD_FIELDS, (field) => {
      if (!Object.hasOwn(details.record, field)) return passed;
      const evidence = disagreement(field, details.record, shown);
      if (evidence === null) return passed;
      const pointed = { ...evidence, pointer: `${details.pointer}/${field}` };
      // A field that changed between two searches may have changed again.
      return changed(field, shown) ? undecided({ ...pointed, advice: AGAIN }) : failed(pointed);
    });
  },
);

const AGAIN = 'Check the directory again while its entries do not change.';

interface Details {
  readonly record: JsonObject;
  readonly pointer: string;
}

/** The details may be nested under a key such as `server`. */
const MAX_LEVELS = 3;

function objectWithId(value: Json, id: string, pointer = '', levels = MAX_LEVELS): Details | null {
  if (!isJsonObject(value)) return null;
  if (ownProperty(value, 'id') === id) return { record: value, pointer };
  if (levels <= 1) return null;
  for (const [key, inner] of Object.entries(value)) {
    const within = objectWithId(inner, id, pointer + jsonPointer([key]), levels - 1);
    if (within !== null) return within;
  }
  return null;
}

function disagreement(
  field: string,
  details: JsonObject,
  shown: readonly JsonObject[],
): Pick<Evidence, 'message' | 'expected' | 'received'> | null {
  const value = details[field] ?? null;
  if (LIVE_FIELDS.has(field)) {
    const problem = fieldProblem(details, field);
    return problem && { message: `${field} of the details is invalid`, ...problem };
  }
  const known = shown.filter((record) => Object.hasOwn(record, field)).map((record) => record[field] ?? null);
  if (known.length === 0 || known.some((other) => sameField(other, value))) return null;
  return {
    message: `${field} differs between the details and the search record`,
    expected: showJson(known.find((other) => other !== null)),
    received: showJson(value),
  };
}

function changed(field: string, [first, second]: readonly JsonObject[]): boolean {
  if (first === undefined || second === undefined) return false;
  return !sameField(ownProperty(first, field) ?? null, ownProperty(second, field) ?? null);
}

/** The order of tags and of transports does not matter. */
function sameField(left: Json, right: Json): boolean {
  return sameJson(inOrder(left), inOrder(right));
}

function inOrder(value: Json): Json {
  return Array.isArray(value)
    ? (value as readonly Json[]).toSorted((a, b) => String(a).localeCompare(String(b)))
    : value;
}
