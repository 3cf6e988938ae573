import { Fragment, type VNode } from 'preact';
import { proseParts, type VerdictMark } from '../view/words.ts';

/** Drawn, because not every font has such signs. */
const LINES: Readonly<Record<VerdictMark, string>> = {
  pass: 'M1 6l3.5 3.5L11 2.5',
  fail: 'M2 2l8 8M10 2l-8 8',
  unreachable: 'M2 2l8 8M10 2l-8 8',
  incomplete: 'M3 4a3 3 0 1 1 4 2.8Q6 7.2 6 8.5M6 10.5v.6',
  measured: '',
};

/** The sign before the word of a verdict. */
export function Sign({ mark }: { readonly mark: VerdictMark }): VNode | null {
  return LINES[mark] === '' ? null : (
    <svg class="sign" viewBox="0 0 12 12" aria-hidden="true">
      <path d={LINES[mark]} />
    </svg>
  );
}

/** A text whose arrows are drawn. */
export function Arrows({ text }: { readonly text: string }): VNode {
  return (
    <>
      {text.split('→').map((part, index) => (
        <Fragment key={index}>
          {index === 0 ? null : <span class="arrow">→</span>}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** A command to copy. The script adds the button, which is useless without it. */
export function Command({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <div class="command">
      <p>{label}</p>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}

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
