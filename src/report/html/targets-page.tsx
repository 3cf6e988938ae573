import type { VNode } from 'preact';
import { TARGET_MARKS, type TargetLine, type TargetMark, type TargetsView } from '../view/targets-view.ts';
import { OF_AN_INDEX, Page } from './page.tsx';

/** An index of targets, each with a link to its report. */
export function targetsPage({ targets, mark, totals }: TargetsView, notes: readonly string[]): VNode {
  const unchecked = targets.filter((target) => target.mark === 'not-checked');
  return (
    <Page title="Targets" script={OF_AN_INDEX}>
      <header class={`verdict ${HEADINGS[mark]}`}>
        <p class="brand">Probity</p>
        <h1>
          <span class="word">{totals}</span>
        </h1>
      </header>
      <main id="content" tabIndex={-1}>
        {notes.length === 0 ? null : (
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        <section class="scroll" aria-label="Targets" tabIndex={0}>
          <table class="times" data-sort>
            <thead>
              <tr>
                {COLUMNS.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {targets.map((target) => (
                <Row key={target.name} target={target} />
              ))}
            </tbody>
          </table>
        </section>
        {unchecked.length === 0 ? null : (
          <section aria-labelledby="unchecked">
            <h2 id="unchecked">Not checked</h2>
            <ul>
              {unchecked.map(({ name, words }) => (
                <li key={name}>
                  <b>{name}</b> {words}
                </li>
              ))}
            </ul>
          </section>
        )}
      </main>
    </Page>
  );
}

const COLUMNS = [
  'Target',
  'Verdict',
  'Failed',
  'Warnings',
  'Undecided',
  'p95, ms',
  'Time',
  'Address',
] as const;

const HEADINGS: Readonly<Record<TargetMark, string>> = {
  pass: 'pass',
  incomplete: 'incomplete',
  unreachable: 'unreachable',
  fail: 'fail',
  'not-checked': 'fail',
};

/** The classes of the report’s outcomes, which have the same colours. */
const CLASSES: Readonly<Record<TargetMark, string>> = {
  pass: 'passed',
  incomplete: 'undecided',
  unreachable: 'failed',
  fail: 'failed',
  'not-checked': 'undecided',
};

const NONE = '–';

function Row({ target }: { readonly target: TargetLine }): VNode {
  const { name, url, mark, word, failed, warnings, undecided, slowest, duration, report } = target;
  const isChecked = mark !== 'not-checked';
  return (
    <tr>
      <th scope="row">{report === null ? name : <a href={hrefOf(report)}>{name}</a>}</th>
      <td data-value={TARGET_MARKS.indexOf(mark)}>
        <span class={`mark ${CLASSES[mark]}`}>{word.toLowerCase()}</span>
      </td>
      {[
        ...(isChecked ? [failed, warnings, undecided] : [NONE, NONE, NONE]),
        slowest || NONE,
        duration || NONE,
      ].map((text, index) => (
        <td key={index}>{text}</td>
      ))}
      <td>{url}</td>
    </tr>
  );
}

/** Of a file below the page, whatever characters its name has. */
function hrefOf(report: string): string {
  return report.split('/').map(encodeURIComponent).join('/');
}
