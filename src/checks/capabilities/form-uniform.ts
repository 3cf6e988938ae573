import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { descriptorForm, descriptorsIn } from './descriptor.ts';

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
      message: `function ${other.label} is of form ${other.form}, function ${first.label} of form ${first.form}`,
      expected: 'one form for all functions',
      received: `${count} of form A and ${known.length - count} of form B`,
      pointer: other.pointer,
    });
  },
);
