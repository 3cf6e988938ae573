import { targetVariable } from 'probity/model';
import type { Entry } from '../store/entries.ts';

/** The key that a target requires, from the operator's environment. */
export type TargetToken =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  /** The listing names a variable that must not be read, or that is not set. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Reads only the variable that belongs to the entry, whatever its listing names. */
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
      problem: `the listing names the wrong variable for the server's key; it must be ${own}`,
    };
  const token = Object.hasOwn(environment, own) ? environment[own] : undefined;
  return token === undefined || token === ''
    ? {
        kind: 'problem',
        problem: `the directory has no key for this server; its operator must set ${own}`,
      }
    : { kind: 'token', token };
}
