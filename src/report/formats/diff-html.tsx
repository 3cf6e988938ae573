import type { VNode } from 'preact';
import { Arrows, Command, Heading, List, Prose } from '../html/elements.tsx';
import { Page, pageText } from '../html/page.tsx';
import {
  type ChangePart,
  type ChangeView,
  type DiffView,
  OTHERS_TITLE,
  TIMES_TITLE,
  type TimeView,
  type Tone,
} from '../view/diff-view.ts';

export function renderDiffHtml(view: DiffView): string {
  const { mark, word, words, url, otherTarget, sides, changes } = view;
  return pageText(
    <Page title={`${word}: ${url}`}>
      <Heading brand="Probity diff" mark={mark} sign={mark} word={word} url={url}>
        <p class="words">{words}</p>
        {otherTarget === '' ? null : <p>{otherTarget}</p>}
        <p class="about">
          <Arrows text={sides} />
        </p>
      </Heading>
      <main id="content" tabIndex={-1}>
        <Others view={view} />
        {changes.length === 0 ? null : (
          <section aria-labelledby="changes-title">
            <h2 id="changes-title">Changes</h2>
            {changes.slice(0, MAX_CHANGES).map((change, index) => (
              <Change key={change.name} change={change} open={index < MAX_OPEN} />
            ))}
            <More count={changes.length - MAX_CHANGES} />
          </section>
        )}
        <Times view={view} />
      </main>
    </Page>,
  );
}

const MAX_CHANGES = 200;
const MAX_OPEN = 3;
const MAX_PARTS = 10;

/** The classes of the report’s outcomes, which have the same colours. */
const CLASSES: Readonly<Record<Tone, string>> = {
  bad: 'failed',
  good: 'passed',
  doubtful: 'warning',
  faint: 'inapplicable',
};

function Others({ view: { others } }: { readonly view: DiffView }): VNode | null {
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="others-title">
      <h2 id="others-title">{OTHERS_TITLE}</h2>
      {others.map(({ title, lines }) => (
        <div key={title}>
          <h3>{title}</h3>
          <List items={lines.map((line) => <Arrows text={line} />)} />
        </div>
      ))}
    </section>
  );
}

function Change({ change, open }: Readonly<{ change: ChangeView; open: boolean }>): VNode {
  const { label, tone, name, words, note, parts } = change;
  const heading = (
    <>
      <span class={`mark ${CLASSES[tone]}`}>{label.toLowerCase()}</span> <code class="id">{name}</code>
      <span class="statement">
        <Arrows text={words} />
      </span>
    </>
  );
  if (note === '' && parts.length === 0) return <div class={`broken ${CLASSES[tone]}`}>{heading}</div>;
  return (
    <details class={`broken ${CLASSES[tone]}`} open={open}>
      <summary>{heading}</summary>
      {note === '' ? null : <p>{note}</p>}
      {parts.slice(0, MAX_PARTS).map((part, index) => (
        <Part key={index} part={part} />
      ))}
      <More count={parts.length - MAX_PARTS} />
    </details>
  );
}

function Part({ part }: Readonly<{ part: ChangePart }>): VNode {
  const { side, sentence, expected, received, fix, again } = part;
  return (
    <div class="evidence">
      <p class="message">
        {side === '' ? '' : `${side}: `}
        {sentence}
      </p>
      <dl>
        <dt>expected</dt>
        <dd>
          <code>{expected}</code>
        </dd>
        <dt>received</dt>
        <dd>
          <code class="received">{received}</code>
        </dd>
      </dl>
      {side === 'before' || fix === '' ? null : (
        <p>
          <b>How to fix it:</b> <Prose text={fix} />
        </p>
      )}
      {side === 'before' || again === null ? null : <Command label="Check this alone" text={again} />}
    </div>
  );
}

function Times({ view: { times, timeNotes } }: { readonly view: DiffView }): VNode | null {
  if (times.length + timeNotes.length === 0) return null;
  return (
    <section aria-labelledby="times-title">
      <h2 id="times-title">{TIMES_TITLE}</h2>
      <List items={[...times.map(timeLine), ...timeNotes]} />
    </section>
  );
}

function timeLine({ label, tone, name, words }: TimeView): VNode {
  return (
    <>
      <span class={`mark ${CLASSES[tone]}`}>{label.toLowerCase()}</span> <code>{name}</code>{' '}
      <Arrows text={words} />
    </>
  );
}

function More({ count }: { readonly count: number }): VNode | null {
  return count > 0 ? (
    <p>
      and {count} more; <code>--format json</code> has all
    </p>
  ) : null;
}
