import type { VNode } from 'preact';
import { momentWords } from './figure-words.ts';

export function Moment({ at }: { readonly at: string }): VNode {
  return <time dateTime={at}>{momentWords(at)}</time>;
}
