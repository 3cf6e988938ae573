import { required, text, variantOf } from '../../model/arguments.ts';

/** The source of the trusted root: the trusted authorities and logs of Sigstore. */
export type TrustedRootSource =
  /** The public instance, as @sigstore/tuf ships it. */
  | { readonly kind: 'public' }
  /** Another instance: the JSON text of its trusted_root.json, and its name in messages. */
  | { readonly kind: 'given'; readonly text: string; readonly name: string };

export const TRUSTED_ROOT = variantOf<TrustedRootSource>({
  public: {},
  given: { text: required(text), name: required(text) },
});
