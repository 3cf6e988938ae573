import { createHash } from 'node:crypto';
import { canonicalJson, type ExecuteRequest } from 'probity/model';
import { memberTexts } from '../http/json-members.ts';

/** The call that a caller requests, in form A (specification, section 2.6). */
export interface GivenCall {
  readonly functionName: string;
  /** The JSON object exactly as the caller wrote it. */
  readonly inputText: string;
  /** Identical for the same function and input, whatever the order of the keys. Calculated only for some calls. */
  digest(): string;
}

/** The call in a request body. The input is passed to the target exactly as it was written. Pure. */
export function givenCall(
  { function: functionName, input = {} }: ExecuteRequest,
  { bodyText, bodyIsExact }: { readonly bodyText: string; readonly bodyIsExact: boolean },
): GivenCall {
  const inputText = memberTexts(bodyText).get('input') ?? '{}';
  return {
    functionName,
    inputText,
    digest: () => {
      // Numbers that round to the same double are still different inputs.
      const comparedInput = bodyIsExact ? canonicalJson(input) : inputText;
      return createHash('sha256')
        .update(JSON.stringify([functionName, comparedInput]))
        .digest('base64url');
    },
  };
}
