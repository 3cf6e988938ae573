import { shorten, visible } from 'probity/model';

/** In characters: nobody reads a longer one, and a listing that has one is not to fill the page with it. */
export const MOST = { name: 200, description: 1000, label: 100 } as const;

/** What a stranger says of a server, made visible and cut to a length that a page can bear. Pure. */
export function visibleText(text: string, kind: keyof typeof MOST): string {
  return visible(shorten(text, MOST[kind]));
}
