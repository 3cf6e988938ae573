import { shorten, visible } from 'probity/model';

/** In characters; longer texts are shortened, so that a listing cannot fill the page. */
export const MAX_LENGTHS = { name: 200, description: 1000, label: 100 } as const;

/** Untrusted text, shortened, with invisible characters escaped. Pure. */
export function visibleText(text: string, kind: keyof typeof MAX_LENGTHS): string {
  return visible(shorten(text, MAX_LENGTHS[kind]));
}
