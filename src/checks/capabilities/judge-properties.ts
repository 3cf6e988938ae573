import type { Json } from '../../model/json.ts';
import { type Finding, inapplicable, passed } from '../../model/judgement.ts';
import type { Wire } from '../../model/wire.ts';
import { type CheckResult, cannotJudge, judgeEach } from '../define-check.ts';
import {
  descriptorForm,
  descriptorsIn,
  lacksProperties,
  type PropertyAt,
  propertiesOf,
} from './descriptor.ts';

export const NO_PROPERTIES = {
  'no-properties': 'parameters or returns of a function is not a schema with properties',
} as const;

/** Judges each property under `parameters` or `returns` of the descriptors of form B. */
export function judgeProperties(
  capabilities: Json,
  form: Wire | null,
  key: 'parameters' | 'returns',
  whenNone: string,
  judge: (property: PropertyAt, label: string) => Finding,
): CheckResult<keyof typeof NO_PROPERTIES> {
  const formB = descriptorsIn(capabilities).filter((at) => descriptorForm(at.descriptor, form) === 'B');
  const properties = formB.flatMap((at) => propertiesOf(at, key).map((property) => ({ property, at })));
  const isUnreadable = formB.some((at) => lacksProperties(at, key));
  if (properties.length === 0 && !isUnreadable) return inapplicable(whenNone);
  const result = judgeEach(properties, ({ property, at }) => judge(property, at.label));
  return isUnreadable && result === passed ? cannotJudge('no-properties') : result;
}
