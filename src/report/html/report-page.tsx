import type { VNode } from 'preact';
import type { ReportView } from '../view/report-view.ts';
import { Details } from './details.tsx';
import { FixFirst, hasToFix } from './fix-first.tsx';
import { Latency } from './latency.tsx';
import { Page } from './page.tsx';
import { Requirements } from './requirements.tsx';
import { SectionLinks, Verdict } from './verdict.tsx';

export function reportPage(view: ReportView): VNode {
  const title = `${view.word}: ${view.target.name ?? view.target.url}`;
  const hasTimes = view.reachable && view.responseTimes.length > 0;
  const sections = [
    { id: 'fix', name: 'Fix first', shown: hasToFix(view) },
    { id: 'requirements', name: 'Requirements', shown: view.results.length > 0 },
    { id: 'latency', name: 'Response times', shown: hasTimes },
    { id: 'details', name: 'Details', shown: true },
  ].filter(({ shown }) => shown);
  return (
    <Page title={title}>
      <Verdict view={view} />
      <SectionLinks sections={sections} />
      <main id="content" tabIndex={-1}>
        <FixFirst
          view={view}
          causes={view.causes}
          answers={view.answers}
          wrong={view.wrong}
          isUnreachable={!view.reachable}
        />
        <Requirements view={view} deciding={view.evidence.deciding} isFolded={!view.reachable} />
        {hasTimes ? <Latency view={view} /> : null}
        <Details view={view} />
      </main>
    </Page>
  );
}
