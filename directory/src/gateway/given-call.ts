import { createHash } from 'node:crypto';
import { canonicalJson, type ExecuteRequest } from 'probity/model';
import { memberTexts } from '../http/json-members.ts';

/** What a caller asks for, in form A (specification, section 2.6). */
export interface GivenCall {
  readonly functionName: string;
  /** A JSON object as it was written. */
  readonly inputText: string;
  /** The same for the same function and input, in whatever order their keys stand. */
  readonly digest: string;
}

/** The call that a body asks for, whose input reaches the target as it was written. Pure. */
export function givenCall(
  { function: functionName, input = {} }: ExecuteRequest,
  { bodyText, bodyIsExact }: { readonly bodyText: string; readonly bodyIsExact: boolean },
): GivenCall {
  const inputText = memberTexts(bodyText).get('input') ?? '{}';
  // Two numbers that a double cannot tell apart are two inputs.
  const told = bodyIsExact ? canonicalJson(input) : inputText;
  return {
    functionName,
    inputText,
    digest: createHash('sha256')
      .update(JSON.stringify([functionName, told]))
      .digest('base64url'),
  };
}
