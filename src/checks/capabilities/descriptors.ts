import {
  canonicalJson,
  isJsonObject,
  type Json,
  jsonText,
  ownItems,
  ownProperty,
  ownText,
  shorten,
  showJson,
} from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, type JsonAnswer, judgeEach, notApplied } from '../define-check.ts';
import { descriptorForm, descriptorsIn } from './descriptor.ts';

export const descriptors = defineCheck(
  'json',
  'descriptors',
  'each descriptor of a form is valid against a schema',
  ({ value, options, form, formForced, schemas }) => {
    const wanted = options.form;
    // A form given by the user applies to every descriptor. Otherwise each descriptor has the form of its keys.
    const judged = descriptorsIn(value).filter(
      ({ descriptor }) => (formForced ? form : descriptorForm(descriptor, form)) === wanted,
    );
    if (judged.length === 0) return inapplicable(`no function is described in form ${wanted}`);
    return judgeEach(judged, ({ descriptor, pointer, label }) => {
      const verdict = schemas.apply(options.schema ?? {}, descriptor);
      if (verdict.kind === 'valid') return passed;
      if (verdict.kind === 'undecided')
        return notApplied(
          `${label}: the schema cannot be applied to the descriptor`,
          verdict.reason,
          pointer,
        );
      const { pointer: below, expected, received } = verdict.problem;
      const message = `${label}: ${below === '' ? 'the descriptor' : below.slice(1)} is invalid`;
      return failed({ message, expected, received, pointer: pointer + below });
    });
  },
  {
    options: {
      form: { doc: 'A or B: which descriptors are judged.', required: true },
      schema: { doc: 'JSON Schema for a descriptor.', required: true, schema: true },
    },
  },
);

export const descriptorFormCheck = defineCheck(
  'json',
  'descriptor-form',
  'each descriptor is of form A or of form B',
  ({ value }) =>
    judgeEach(descriptorsIn(value), ({ descriptor, pointer, label }) => {
      if (descriptorForm(descriptor) !== null) return passed;
      const keys = Object.keys(descriptor);
      return failed({
        message: `${label} is of neither form`,
        expected: 'inputs and outputs (form A), or parameters and returns (form B)',
        received:
          keys.length === 0 ? 'an object without keys' : `only the keys ${keys.slice(0, 10).join(', ')}`,
        pointer,
      });
    }),
);

export const formUniform = defineCheck(
  'json',
  'form-uniform',
  'all descriptors are of the same form',
  ({ value }): Finding => {
    const forms = descriptorsIn(value).map((at) => ({ ...at, form: descriptorForm(at.descriptor, null) }));
    const known = forms.filter(({ form }) => form !== null);
    const [first] = known;
    if (first === undefined) return inapplicable('no descriptor is of a known form');
    const other = known.find(({ form }) => form !== first.form);
    if (other === undefined) return passed;
    const count = known.filter(({ form }) => form === 'A').length;
    return failed({
      message: `${other.label} is of form ${other.form}, ${first.label} of form ${first.form}`,
      expected: 'one form for all functions',
      received: `${count} of form A and ${known.length - count} of form B`,
      pointer: other.pointer,
    });
  },
);

export const uniqueNames = defineCheck(
  'json',
  'unique-names',
  'no two functions share a name',
  ({ value }) => {
    const firstPointers = new Map<string, string>();
    return judgeEach(descriptorsIn(value), ({ descriptor, pointer }) => {
      const name = ownText(descriptor, 'name');
      if (name === null) return passed;
      const first = firstPointers.get(name) ?? pointer;
      firstPointers.set(name, first);
      if (first === pointer) return passed;
      return failed({
        message: `the name is already used by ${first}`,
        expected: 'a unique name',
        received: showJson(name),
        pointer: `${pointer}/name`,
      });
    });
  },
);

export const sameFunctions = defineCheck(
  'repetitions',
  'same-functions',
  'all reads list the same functions, in any order',
  ({ answers }) => {
    const [first, ...others] = answers;
    const last = others.at(-1);
    if (first === undefined || last === undefined) {
      return undecided({
        message: 'only one read of /capabilities could be used',
        expected: 'two reads',
        received: `${answers.length}`,
      });
    }
    const before = descriptorSet(first);
    const other = others.find((read) => !isSameSet(before, descriptorSet(read)));
    if (other === undefined) return passed;
    const after = descriptorSet(other);
    const gone = [...before].find(([canonical]) => !after.has(canonical));
    const added = [...after].find(([canonical]) => !before.has(canonical));
    const changed = gone !== undefined && added !== undefined && gone[1] === added[1];
    return failed({
      message: changed
        ? `the descriptor of ${gone[1]} differs between two reads`
        : 'two reads list different functions',
      expected: `the same ${before.size} descriptors again`,
      received: changed
        ? shorten(`first ${gone[0]}, then ${added[0]}`, 400)
        : [gone && `${gone[1]} is gone`, added && `${added[1]} is new`].filter(Boolean).join(', '),
      pointer: '/functions',
      exchangeKey: other.exchange.request.key,
    });
  },
  { isSettledBy: ([first]) => first !== undefined && !mayShowClock(first) },
);

/** A time of day, a time in seconds since 1970, a duration, or a word for one. */
const CLOCK =
  /\d:\d\d|\d{9}|\d *(?:[smh]|ms|sec|seconds?|min|minutes?|hours?|days?)\b|\b(?:uptime|elapsed|since|ago|age|now|today)\b/i;
const MIN_UNIX_SECONDS = 1e9;

/** Numbers in these members of a schema are limits and values that the author chose. */
const CHOSEN =
  /^(?:(?:exclusive)?(?:minimum|maximum)|(?:min|max)(?:Length|Items|Properties|Contains)|multipleOf|default|const|enum|examples?)$/i;
/** Also in the text of a number. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** What shows a clock may differ only between reads that are more than a second apart. */
function mayShowClock({ value, exchange }: JsonAnswer): boolean {
  const year = String(new Date(exchange.timing.startedAtMs).getUTCFullYear());
  return ownItems(value, 'functions').some((entry) => mayHoldClock(entry, year));
}

function mayHoldClock(value: Json, year: string, isChosen = false): boolean {
  if (typeof value === 'string')
    return value.includes(year) || CLOCK.test(value) || (!isChosen && NUMBER.test(value));
  // Whole seconds since a start are small numbers.
  if (typeof value === 'number') return !isChosen || Math.abs(value) >= MIN_UNIX_SECONDS;
  if (Array.isArray(value))
    return (value as readonly Json[]).some((one) => mayHoldClock(one, year, isChosen));
  return (
    isJsonObject(value) &&
    Object.entries(value).some(([key, one]) => mayHoldClock(one, year, isChosen || CHOSEN.test(key)))
  );
}

function isSameSet(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one.keys()].every((canonical) => other.has(canonical));
}

function descriptorSet({ value }: JsonAnswer): ReadonlyMap<string, string> {
  return new Map(
    ownItems(value, 'functions').map((entry) => [
      canonicalJson(withSortedSets(entry)),
      isJsonObject(entry) ? `function ${jsonText(entry.name ?? null)}` : 'an entry',
    ]),
  );
}

/** Lists of names whose order does not matter. */
const SETS = new Set(['inputs', 'outputs', 'required']);

function withSortedSets(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withSortedSets);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, Json] => {
      const isSet = SETS.has(key) && Array.isArray(inner) && inner.every((name) => typeof name === 'string');
      return [key, isSet ? [...(inner as readonly string[])].sort() : withSortedSets(inner)];
    }),
  );
}

export const sameForm = defineCheck(
  'step',
  'same-form',
  '/execute uses the form in which the functions are described',
  ({ used }): Finding => {
    // A call in a form that the user chose counts only if it was answered in that form.
    const answered = used.calls?.find(({ call, value }) => {
      const key = call?.form === 'A' ? 'output' : 'result';
      return ownProperty(value, key) !== undefined;
    });
    const form = answered?.call?.form;
    const capabilities = used.capabilities?.[0];
    if (capabilities === undefined || answered === undefined || form === undefined)
      return inapplicable('no call was answered');
    const described = new Set(
      descriptorsIn(capabilities.value).map(({ descriptor }) => descriptorForm(descriptor, form)),
    );
    if (form === 'mcp' || described.has(form)) return passed;
    const [other] = [...described].filter((known) => known !== null);
    if (other === undefined) return inapplicable('no descriptor is of a known form');
    const keys = { A: 'input and output', B: 'parameters and result' };
    return failed({
      message: `functions are described in form ${other}, but /execute answers in form ${form}`,
      expected: `one form: ${keys[other]}`,
      received: `form ${form}: ${keys[form]}`,
      advice:
        'Describe the functions in the form that /execute uses, or change the form of /execute; the two must match.',
      exchangeKey: answered.exchange.request.key,
    });
  },
);
