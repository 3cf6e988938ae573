import type { Json } from '../../model/json.ts';
import { type Finding, inapplicable, passed } from '../../model/judgement.ts';
import type { Form } from '../../model/requirement.ts';
import { type CheckResult, cannotJudge } from '../define-check.ts';
import {
  descriptorForm,
  descriptorsIn,
  lacksProperties,
  type PropertyAt,
  propertiesOf,
} from './descriptor.ts';

export const NO_PROPERTIES = {
  'no-properties': 'parameters or returns of a function is no schema with properties',
} as const;

/** Judges each property under `parameters` or `returns` of the descriptors of form B. */
export function judgeProperties(
  capabilities: Json,
  form: Form | null,
  key: 'parameters' | 'returns',
  whenNone: string,
  judge: (property: PropertyAt, label: string) => Finding,
): CheckResult<keyof typeof NO_PROPERTIES> {
  const formB = descriptorsIn(capabilities).filter((at) => descriptorForm(at.descriptor, form) === 'B');
  const judged = formB.flatMap((at) => propertiesOf(at, key).map((property) => judge(property, at.label)));
  const isUnreadable = formB.some((at) => lacksProperties(at, key));
  if (judged.length === 0 && !isUnreadable) return inapplicable(whenNone);
  const findings = judged.filter(({ outcome }) => outcome !== 'passed');
  if (findings.length > 0) return findings;
  return isUnreadable ? cannotJudge('no-properties') : passed;
}
