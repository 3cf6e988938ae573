import { invalid, undecided, VALID } from './outcome.ts';
import type { MakeRule } from './rule-maker.ts';

export const patternRule: MakeRule = (operand, { schema, pattern }) => {
  if (typeof operand !== 'string') return null;
  const { match } = pattern(operand);
  return (value, run) => {
    const found = match(value as string, run.spend);
    if (found.kind === 'undecided') return undecided(found.reason);
    return found.kind === 'match' ? VALID : invalid('pattern', schema, value);
  };
};
