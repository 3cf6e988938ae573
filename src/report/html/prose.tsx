import { Fragment, type VNode } from 'preact';
import { proseParts } from '../view/prose.ts';

/** A text whose code is set as code. */
export function Prose({ text }: { readonly text: string }): VNode {
  return (
    <>
      {proseParts(text).map(({ text: part, isCode }, index) =>
        isCode ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
      )}
    </>
  );
}
