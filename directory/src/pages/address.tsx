import type { VNode } from 'preact';
import { parseUrl } from 'probity/model';

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
