import { ownProperty } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { descriptorsIn } from '../capabilities/descriptor.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { exampleInputs } from './example-inputs.ts';

export const examplesGiven = defineCheck(
  'json',
  'examples-given',
  'every function has an example, in its descriptor or in the configuration',
  ({ value, samplesFor }) => {
    return judgeEach(descriptorsIn(value), ({ descriptor, pointer, label }) => {
      const name = ownProperty(descriptor, 'name');
      if (typeof name === 'string' && samplesFor(name).length > 0) return passed;
      if (exampleInputs(descriptor).length > 0) return passed;
      return failed({
        message: `function ${label} has no example`,
        expected: 'examples in the descriptor, or a sample in the configuration',
        received: 'neither',
        pointer,
      });
    });
  },
);
