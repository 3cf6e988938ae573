import { required, text, variantOf } from '../../model/arguments.ts';

/** What says which authorities and logs of Sigstore are to be believed. */
export type TrustedRootSource =
  /** The public instance, as @sigstore/tuf ships it. */
  | { readonly kind: 'public' }
  /** Of another instance: the JSON text of its trusted_root.json, and what to call it in messages. */
  | { readonly kind: 'given'; readonly text: string; readonly name: string };

/** As an argument of the library. */
export const TRUSTED_ROOT = variantOf<TrustedRootSource>({
  public: {},
  given: { text: required(text), name: required(text) },
});
