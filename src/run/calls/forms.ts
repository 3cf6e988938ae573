import { descriptorForm, descriptorsIn } from '../../checks/capabilities/descriptor.ts';
import { jsonBody } from '../../checks/json/json-body.ts';
import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { FormChoice } from '../../model/judgement.ts';
import type { Form } from '../../model/requirement.ts';
import type { KnownForm } from '../state/record.ts';

export function otherForm(form: Form): Form {
  return form === 'A' ? 'B' : 'A';
}

type KnownRestForm = { readonly form: Form } | Extract<KnownForm, { readonly form: null }>;

/**
 * The form of most descriptors (specification, section 2.5); on a tie, the form of the first. If it is unknown, why: the
 * reasons that the suite of the functions gives requirements for.
 */
export function capabilitiesForm(capabilities: Json | undefined, choice: FormChoice): KnownRestForm {
  if (choice !== 'auto') return { form: choice };
  if (capabilities === undefined) return { form: null, because: 'no-object' };
  const descriptors = descriptorsIn(capabilities);
  const forms = descriptors.map(({ descriptor }) => descriptorForm(descriptor, null));
  const count = (form: Form): number => forms.filter((known) => known === form).length;
  const first = forms.find((form) => form !== null);
  if (first !== undefined && first !== null) {
    const difference = count('A') - count('B');
    if (difference === 0) return { form: first };
    return { form: difference > 0 ? 'A' : 'B' };
  }
  if (
    ownProperty(capabilities, 'mcpVersion') !== undefined ||
    ownProperty(capabilities, 'server') !== undefined
  )
    return { form: 'B' };
  if (descriptors.some(({ descriptor }) => descriptorForm(descriptor) !== null)) return { form: 'A' };
  const functions = ownProperty(capabilities, 'functions');
  if (!Array.isArray(functions)) return { form: null, because: 'no-list' };
  return { form: null, because: functions.length === 0 ? 'no-function' : 'no-form' };
}

/** What an answer of /execute looks like. */
export type AnswerShape = 'served' | 'other-form' | 'unclear';

const OK = 200;

/**
 * Whether an answer to a call in `form` is of that form. Form B is recognised by `result` together with executionTime
 * or requestId, form A by `output` without any of form B's keys: a server that only misspells a key is not mistaken for
 * one of the other form.
 */
export function answerShape(exchange: Exchange, form: Form): AnswerShape {
  if (exchange.kind !== 'answered' || exchange.response.status !== OK) return 'unclear';
  const { value } = jsonBody(exchange);
  const has = (name: string): boolean => ownProperty(value, name) !== undefined;
  const isA = isJsonObject(ownProperty(value, 'output')) && !has('result') && !has('executionTime');
  const isB = isJsonObject(ownProperty(value, 'result')) && (has('executionTime') || has('requestId'));
  if (form === 'A' ? has('output') : has('result')) return 'served';
  if (form === 'A' ? isB : isA) return 'other-form';
  return 'unclear';
}
