import { targetVariable } from 'probity/model';
import type { Entry } from '../store/entries.ts';

/** The key that a target asks for itself, as the operator's environment holds it. */
export type TargetToken =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  /** The listing names a variable that may not be looked up, or that is not set. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Only the entry's own variable is ever looked up, whatever its listing names. */
export function targetTokenOf(
  { id, listing }: Pick<Entry, 'id' | 'listing'>,
  environment: Readonly<Record<string, string | undefined>>,
): TargetToken {
  const { bearerEnv } = listing;
  if (bearerEnv === undefined) return { kind: 'none' };
  const own = targetVariable(id);
  if (bearerEnv !== own)
    return {
      kind: 'problem',
      problem: `the listing names a variable for the server's key that is not its own; it has to be ${own}`,
    };
  const token = Object.hasOwn(environment, own) ? environment[own] : undefined;
  return token === undefined || token === ''
    ? {
        kind: 'problem',
        problem: `the directory has no key for this server; its operator has to set ${own}`,
      }
    : { kind: 'token', token };
}
