import type { VNode } from 'preact';
import { reportAssets } from '../../generated/report-assets.ts';
import type { ReportView } from '../view/report-view.ts';
import { Details } from './details.tsx';
import { FixFirst, hasToFix } from './fix-first.tsx';
import { Latency } from './latency.tsx';
import { Requirements } from './requirements.tsx';
import { Verdict } from './verdict.tsx';

/** Loads nothing and allows only this style and this script, whatever the texts contain. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${reportAssets.styleHash}'`,
  `script-src '${reportAssets.scriptHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function reportPage(view: ReportView): VNode {
  const title = `${view.word}: ${view.target.name ?? view.target.url}`;
  const sections = [
    { id: 'fix', name: 'Fix first', shown: hasToFix(view) },
    { id: 'requirements', name: 'Requirements', shown: view.results.length > 0 },
    { id: 'latency', name: 'Response times', shown: view.responseTimes.length > 0 },
    { id: 'details', name: 'Details', shown: true },
  ].filter(({ shown }) => shown);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={CONTENT_SECURITY_POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Probity`}</title>
        <style dangerouslySetInnerHTML={{ __html: reportAssets.style }} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Verdict view={view} sections={sections} />
        <main id="content" tabIndex={-1}>
          <FixFirst view={view} />
          <Requirements view={view} />
          <Latency view={view} />
          <Details view={view} />
        </main>
        <p class="status" role="status" aria-live="polite" />
        <script dangerouslySetInnerHTML={{ __html: reportAssets.script }} />
      </body>
    </html>
  );
}
