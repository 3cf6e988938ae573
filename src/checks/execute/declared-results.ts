import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import type { Form } from '../../model/requirement.ts';
import type { Wire } from '../../model/wire.ts';
import { nearest } from '../../text/nearest-name.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { descriptorForm, textsOf } from '../capabilities/descriptor.ts';
import { type CheckFinding, cannotJudge, defineCheck, notApplied } from '../define-check.ts';
import { exactBody } from '../json/json-body.ts';
import { declaredKeys, quoted } from './declared-keys.ts';

const NO_DECLARATION = {
  'no-declaration': 'the descriptor does not declare what the function returns',
  'no-form': 'the descriptor is of neither form',
} as const;

/** The finding for a function whose descriptor lacks the declaration of this form. */
function withoutDeclaration(
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

export const outputsDeclared = defineCheck(
  'json',
  'outputs-declared',
  'form A: output has the keys that outputs in the descriptor declares, and no others',
  ({ value, item }) => {
    const outputs = ownProperty(item, 'outputs');
    const output = ownProperty(value, 'output');
    const declared = textsOf(outputs);
    if (!Array.isArray(outputs) || declared.length < outputs.length) return withoutDeclaration(item, 'A');
    if (!isJsonObject(output)) return inapplicable('output is not an object');
    const missing = declared.filter((key) => !Object.hasOwn(output, key));
    const undeclared = Object.keys(output).filter((key) => !declared.includes(key));
    if (missing.length === 0 && undeclared.length === 0) return passed;
    const differences = [
      missing.length > 0 && `lacks ${quoted(missing)}`,
      undeclared.length > 0 && `has the undeclared ${quoted(undeclared)}`,
    ];
    return failed({
      message: `output ${differences.filter(Boolean).join(' and ')}`,
      expected: declared.length === 0 ? 'no keys' : `exactly the keys ${quoted(declared)}`,
      received: Object.keys(output).length === 0 ? 'no keys' : `the keys ${quoted(Object.keys(output))}`,
      pointer: '/output',
    });
  },
  { reasons: NO_DECLARATION },
);

/**
 * A missing key may be optional, and an undeclared key may be an addition; JSON Schema allows both. Both together are
 * usually one key under another name.
 */
export const resultKeysDeclared = defineCheck(
  'json',
  'result-keys-declared',
  'form B: result has no undeclared key while a key that returns declares is missing',
  ({ value, item }) => {
    const returns = ownProperty(item, 'returns');
    const result = ownProperty(value, 'result');
    if (returns === undefined) return withoutDeclaration(item, 'B');
    if (!isJsonObject(result)) return inapplicable('result is not an object');
    const { always, anywhere, isOpen } = declaredKeys(returns);
    if (isOpen) return inapplicable('returns allows keys that it does not name');
    if (always.size === 0) return inapplicable('returns declares no keys');
    const missing = [...always].filter((key) => !Object.hasOwn(result, key));
    const undeclared = Object.keys(result).filter((key) => !anywhere.has(key));
    if (missing.length === 0 || undeclared.length === 0) return passed;
    return failed({
      message: `result lacks the declared ${quoted(missing)} and has the undeclared ${quoted(undeclared)}${hintFor(missing, undeclared)}`,
      expected: `only keys that returns declares: ${quoted([...anywhere])}`,
      received: `the keys ${quoted(Object.keys(result))}`,
      pointer: '/result',
    });
  },
  { reasons: NO_DECLARATION },
);

/** A target may send any number of names, of any length. */
const MAX_COMPARED = 100;
const MAX_CHARACTERS = 100;

function hintFor(missing: readonly string[], undeclared: readonly string[]): string {
  const comparable = (names: readonly string[]): readonly string[] =>
    names.filter(({ length }) => length <= MAX_CHARACTERS).slice(0, MAX_COMPARED);
  const wanted = comparable(missing);
  for (const name of comparable(undeclared)) {
    const close = nearest(name, wanted);
    if (close !== undefined) return `; for ${JSON.stringify(name)}, did you mean ${JSON.stringify(close)}?`;
  }
  return '';
}

export const resultMatchesReturns = defineCheck(
  'json',
  'result-matches-returns',
  'form B: result is valid against the descriptor’s returns schema',
  ({ exchange, item, schemas, form }) => {
    const returns = ownProperty(item, 'returns');
    const { result, pointer, name, declaredBy } = declaredResult(exchange);
    if (returns === undefined) return withoutDeclaration(item, 'B', form);
    if (result === undefined) return inapplicable('there is no result');
    const schema = schemas.foreign(returns);
    if (schema.kind === 'invalid') return cannotJudge('returns-invalid');
    if (schema.kind === 'unusable')
      return notApplied(`the ${declaredBy} schema cannot be applied`, schema.reason);
    const verdict = schema.apply(result);
    if (verdict.kind === 'valid') return passed;
    if (verdict.kind === 'undecided')
      return notApplied(`the ${declaredBy} schema cannot be applied to the result`, verdict.reason);
    const { pointer: below, ...evidence } = verdict.problem;
    const message = `${name} is not what ${declaredBy} declares`;
    return failed({ message, ...evidence, pointer: pointer + below });
  },
  { reasons: { ...NO_DECLARATION, 'returns-invalid': 'returns in the descriptor is not a JSON Schema' } },
);

/**
 * What is to be as declared, its name and that of the schema, and where it is; without structured content, a tool returned
 * nothing of it.
 */
export function declaredResult(answer: Answer) {
  const result = ownProperty(exactBody(answer), 'result');
  if (!isMessage(answer)) return { result, pointer: '/result', name: 'result', declaredBy: 'returns' };
  const name = 'structuredContent';
  return { result: ownProperty(result, name), pointer: `/result/${name}`, name, declaredBy: 'outputSchema' };
}
