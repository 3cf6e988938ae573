import type { Json } from '../../model/json.ts';
import { inapplicable } from '../../model/judgement.ts';
import type { Form } from '../../model/requirement.ts';
import type { Wire } from '../../model/wire.ts';
import { descriptorForm } from '../capabilities/descriptor.ts';
import { type CheckFinding, cannotJudge } from '../define-check.ts';

export const NO_DECLARATION = {
  'no-declaration': 'the descriptor does not declare what the function returns',
  'no-form': 'the descriptor is of neither form',
} as const;

/** The finding for a function whose descriptor lacks the declaration of this form. */
export function withoutDeclaration(
  item: Json | undefined,
  form: Form,
  wire: Wire | null = null,
): CheckFinding<keyof typeof NO_DECLARATION> {
  if (wire === 'mcp') return inapplicable('the tool does not declare its result');
  const described = descriptorForm(item ?? null);
  if (described === null) return cannotJudge('no-form');
  return described === form
    ? cannotJudge('no-declaration')
    : inapplicable(`the function is described in form ${described}`);
}
