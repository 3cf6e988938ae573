import type { TestResult } from '../../model/report.ts';
import { Clients } from '../html/clients.tsx';
import { Details } from '../html/details.tsx';
import { List } from '../html/elements.tsx';
import { FixFirst, hasToFix } from '../html/fix-first.tsx';
import { Latency } from '../html/latency.tsx';
import { Page, pageText } from '../html/page.tsx';
import { Requirements } from '../html/requirements.tsx';
import { Verdict } from '../html/verdict.tsx';
import type { RenderedFile } from '../target-entry.ts';
import { CLIENTS_TITLE } from '../view/clients-view.ts';
import { reportView } from '../view/report-view.ts';

/** One page that needs no network and no other file, and is readable without scripts. */
export function renderHtml(result: TestResult): readonly RenderedFile[] {
  const view = reportView(result);
  const title = `${view.word}: ${view.target.name ?? view.target.url}`;
  const hasTimes = view.reachable && view.responseTimes.length > 0;
  const sections = [
    { id: 'fix', name: 'Fix first', shown: hasToFix(view) },
    { id: 'requirements', name: 'Requirements', shown: view.results.length > 0 },
    { id: 'clients', name: CLIENTS_TITLE, shown: view.clients !== null },
    { id: 'latency', name: 'Response times', shown: hasTimes },
    { id: 'details', name: 'Details', shown: true },
  ].filter(({ shown }) => shown);
  const text = pageText(
    <Page title={title}>
      <Verdict view={view} />
      <nav class="sections" aria-label="Sections">
        <List items={sections.map(({ id, name }) => <a href={`#${id}`}>{name}</a>)} />
      </nav>
      <main id="content" tabIndex={-1}>
        <FixFirst view={view} />
        <Requirements view={view} />
        {view.clients === null ? null : <Clients view={view.clients} />}
        {hasTimes ? <Latency view={view} /> : null}
        <Details view={view} />
      </main>
    </Page>,
  );
  return [{ suffix: '.html', text }];
}
