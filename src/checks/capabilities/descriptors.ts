import { ownProperty, showJson } from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach, notApplied } from '../define-check.ts';
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
  ({ value }) => {
    return judgeEach(descriptorsIn(value), ({ descriptor, pointer, label }) => {
      if (descriptorForm(descriptor) !== null) return passed;
      const keys = Object.keys(descriptor);
      return failed({
        message: `${label} is of neither form`,
        expected: 'inputs and outputs (form A), or parameters and returns (form B)',
        received:
          keys.length === 0 ? 'an object without keys' : `only the keys ${keys.slice(0, 10).join(', ')}`,
        pointer,
      });
    });
  },
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
    const findings: Finding[] = [];
    for (const { descriptor, pointer } of descriptorsIn(value)) {
      const name = ownProperty(descriptor, 'name');
      if (typeof name !== 'string') continue;
      const first = firstPointers.get(name);
      if (first === undefined) firstPointers.set(name, pointer);
      else {
        findings.push(
          failed({
            message: `the name is already used by ${first}`,
            expected: 'a unique name',
            received: showJson(name),
            pointer: `${pointer}/name`,
          }),
        );
      }
    }
    return findings.length > 0 ? findings : passed;
  },
);
