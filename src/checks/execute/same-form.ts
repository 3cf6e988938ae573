import { ownProperty } from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { descriptorForm, descriptorsIn } from '../capabilities/descriptor.ts';
import { defineCheck } from '../define-check.ts';

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
    const [capabilities] = used.capabilities ?? [];
    if (capabilities === undefined || answered === undefined || form === undefined)
      return inapplicable('no call was answered');
    const described = new Set(
      descriptorsIn(capabilities.value).map(({ descriptor }) => descriptorForm(descriptor, form)),
    );
    if (form === 'mcp' || described.has(form)) return passed;
    const [other] = [...described].filter((known) => known !== null);
    if (other === undefined) return inapplicable('no descriptor is of a known form');
    return failed({
      message: `functions are described in form ${other}, but /execute answers in form ${form}`,
      expected: `one form: ${other === 'A' ? 'input and output' : 'parameters and result'}`,
      received: `form ${form}: ${form === 'A' ? 'input and output' : 'parameters and result'}`,
      advice:
        'Describe the functions in the form that /execute uses, or change the form of /execute; the two must match.',
      exchangeKey: answered.exchange.request.key,
    });
  },
);
