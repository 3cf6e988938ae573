import { isJsonObject, ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { nearest } from '../../model/nearest-name.ts';
import { defineCheck } from '../define-check.ts';
import { declaredKeys, quoted } from './declared-keys.ts';
import { NO_DECLARATION, withoutDeclaration } from './no-declaration.ts';

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
