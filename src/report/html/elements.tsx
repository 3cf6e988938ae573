import { type ComponentChildren, Fragment, type VNode } from 'preact';
import type { TargetMark } from '../view/targets-view.ts';
import { proseParts, type VerdictMark } from '../view/words.ts';

/** Drawn, because not every font has such signs. */
const LINES: Readonly<Record<VerdictMark, string>> = {
  pass: 'M1 6l3.5 3.5L11 2.5',
  fail: 'M2 2l8 8M10 2l-8 8',
  unreachable: 'M2 2l8 8M10 2l-8 8',
  incomplete: 'M3 4a3 3 0 1 1 4 2.8Q6 7.2 6 8.5M6 10.5v.6',
  measured: '',
};

export function Sign({ mark }: { readonly mark: VerdictMark }): VNode | null {
  return LINES[mark] === '' ? null : (
    <svg class="sign" viewBox="0 0 12 12" aria-hidden="true">
      <path d={LINES[mark]} />
    </svg>
  );
}

/** The top of a page: what it is, its most important words, and what they are about. */
export function Heading({
  brand,
  mark,
  sign,
  word,
  url,
  children,
}: Readonly<{
  brand: string;
  mark: string;
  sign?: VerdictMark;
  word: string;
  url?: string;
  children?: ComponentChildren;
}>): VNode {
  return (
    <header class={`verdict ${mark}`}>
      <p class="brand">{brand}</p>
      <h1>
        <span class="word">
          {sign === undefined ? null : <Sign mark={sign} />}
          {sign === undefined ? word : ` ${word}`}
        </span>
        {url === undefined ? null : <span class="url">{url}</span>}
      </h1>
      {children}
    </header>
  );
}

export function List({ items }: { readonly items: readonly ComponentChildren[] }): VNode {
  return (
    <ul>
      {items.map((item, index) => (
        <li key={index}>{item}</li>
      ))}
    </ul>
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

export function Prose({ text }: { readonly text: string }): VNode {
  return (
    <>
      {proseParts(text).map(({ text: part, isCode }, index) =>
        isCode ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
      )}
    </>
  );
}

/** The classes of the outcomes of requirements, whose colours a verdict has too. */
export const VERDICT_CLASSES: Readonly<Record<VerdictMark | TargetMark, string>> = {
  pass: 'passed',
  fail: 'failed',
  unreachable: 'failed',
  incomplete: 'undecided',
  measured: 'inapplicable',
  'not-checked': 'undecided',
  'not-judged': 'undecided',
};

export function Table({
  label,
  caption,
  heads,
  isSortable,
  children,
}: Readonly<{
  label: string;
  caption?: string;
  heads: readonly string[];
  isSortable?: true;
  children: ComponentChildren;
}>): VNode {
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="times" data-sort={isSortable}>
        {caption === undefined ? null : <caption>{caption}</caption>}
        <Heads heads={heads} />
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function Heads({ heads }: { readonly heads: readonly string[] }): VNode {
  return (
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}
