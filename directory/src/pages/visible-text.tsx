import type { VNode } from 'preact';
import { parseUrl, shorten, visible } from 'probity/model';

/** An untrusted address. It is a link only when it leads to a web page and its text shows the true destination. */
export function Address({ text }: { readonly text: string }): VNode {
  const href = webAddress(text);
  if (href === null) return <span class="address">{text}</span>;
  return (
    <a class="address" href={href} rel="nofollow noopener noreferrer">
      {text}
    </a>
  );
}

/** Null for other protocols, for addresses with a user name, and for text that was shortened or contains escapes. */
export function webAddress(text: string): string | null {
  if (!/^https?:\/\/[^\s\\…]+$/i.test(text) || parseUrl(text) === null) return null;
  const { href, username, password } = new URL(text);
  return username === '' && password === '' ? href : null;
}

/** In characters; longer texts are shortened, so that a listing cannot fill the page. */
export const MAX_LENGTHS = { name: 200, description: 1000, label: 100 } as const;

/** Untrusted text, shortened, with invisible characters escaped. Pure. */
export function visibleText(text: string, kind: keyof typeof MAX_LENGTHS): string {
  return visible(shorten(text, MAX_LENGTHS[kind]));
}
