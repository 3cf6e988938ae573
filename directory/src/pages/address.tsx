import type { VNode } from 'preact';
import { parseUrl } from 'probity/model';

/** An address that a stranger gave: a link only where it leads to a web page and to nothing that its text does not say. */
export function Address({ text }: { readonly text: string }): VNode {
  const href = webAddress(text);
  if (href === null) return <span class="address">{text}</span>;
  return (
    <a class="address" href={href} rel="nofollow noopener noreferrer">
      {text}
    </a>
  );
}

/** Null for other protocols, for what names a user before the host, and for text that was cut or holds escapes. */
export function webAddress(text: string): string | null {
  if (!/^https?:\/\/[^\s\\…]+$/i.test(text) || parseUrl(text) === null) return null;
  const { href, username, password } = new URL(text);
  return username === '' && password === '' ? href : null;
}
