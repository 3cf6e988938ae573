import { failed, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { descriptorForm, descriptorsIn } from './descriptor.ts';

export const descriptorFormCheck = defineCheck(
  'json',
  'descriptor-form',
  'each descriptor is of form A or of form B',
  ({ value }) => {
    return judgeEach(descriptorsIn(value), ({ descriptor, pointer, label }) => {
      if (descriptorForm(descriptor) !== null) return passed;
      const keys = Object.keys(descriptor);
      return failed({
        message: `function ${label} is of neither form`,
        expected: 'inputs and outputs (form A), or parameters and returns (form B)',
        received:
          keys.length === 0 ? 'an object without keys' : `only the keys ${keys.slice(0, 10).join(', ')}`,
        pointer,
      });
    });
  },
);
