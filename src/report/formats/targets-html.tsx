import type { VNode } from 'preact';
import { Heading, List, Table, VERDICT_CLASSES } from '../html/elements.tsx';
import { OF_AN_INDEX, Page, pageText } from '../html/page.tsx';
import type { RenderedFile, TargetEntry } from '../target-entry.ts';
import { TARGET_MARKS, type TargetLine, targetsView } from '../view/targets-view.ts';
import { madeVisible } from '../view/visible-result.ts';

export function renderTargetsHtml(
  entries: readonly TargetEntry[],
  notes: readonly string[] = [],
): readonly RenderedFile[] {
  const { targets, mark, totals } = targetsView(entries);
  const unchecked = targets.filter((target) => target.mark === 'not-checked');
  const text = pageText(
    <Page title="Targets" script={OF_AN_INDEX}>
      <Heading brand="Probity" mark={mark === 'not-checked' ? 'fail' : mark} word={totals} />
      <main id="content" tabIndex={-1}>
        {notes.length === 0 ? null : <List items={madeVisible(notes)} />}
        <Table label="Targets" heads={COLUMNS} isSortable>
          {targets.map((target) => (
            <Row key={target.name} target={target} />
          ))}
        </Table>
        {unchecked.length === 0 ? null : (
          <section aria-labelledby="unchecked">
            <h2 id="unchecked">Not checked</h2>
            <List
              items={unchecked.map(({ name, words }) => (
                <>
                  <b>{name}</b> {words}
                </>
              ))}
            />
          </section>
        )}
      </main>
    </Page>,
  );
  return [{ suffix: '.html', text }];
}

const COLUMNS = ['Target', 'Verdict', 'Failed', 'Warnings', 'Undecided', 'p95, ms', 'Time', 'Address'];
const NONE = '–';

function Row({ target }: { readonly target: TargetLine }): VNode {
  const { name, url, mark, word, failed, warnings, undecided, slowest, duration, report } = target;
  const isChecked = mark !== 'not-checked';
  return (
    <tr>
      <th scope="row">{report === null ? name : <a href={hrefOf(report)}>{name}</a>}</th>
      <td data-value={TARGET_MARKS.indexOf(mark)}>
        <span class={`mark ${VERDICT_CLASSES[mark]}`}>{word.toLowerCase()}</span>
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
