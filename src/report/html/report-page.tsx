import type { VNode } from 'preact';
import { reportAssets } from '../../generated/report-assets.ts';
import { toMend, verdictWord } from '../view/words.ts';
import { Details } from './details.tsx';
import { Latency } from './latency.tsx';
import { MendFirst } from './mend-first.tsx';
import { Requirements } from './requirements.tsx';
import { Verdict } from './verdict.tsx';
import type { VisibleResult } from './visible-result.ts';

/** Nothing is loaded, and no other style or script than these is obeyed, whatever stands in the text. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${reportAssets.styleHash}'`,
  `script-src '${reportAssets.scriptHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function reportPage(result: VisibleResult): VNode {
  const kind = result.bench === undefined ? verdictWord(result) : 'Response times under load';
  const title = `${kind}: ${result.target.name ?? result.target.url}`;
  const sections = [
    { id: 'mend', name: 'What to mend', shown: toMend(result).length > 0 || result.baseline !== undefined },
    { id: 'requirements', name: 'Requirements', shown: result.results.length > 0 },
    { id: 'latency', name: 'Response times', shown: result.responseTimes.length > 0 },
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
        <Verdict result={result} sections={sections} />
        <main id="content" tabIndex={-1}>
          <MendFirst result={result} />
          <Requirements result={result} />
          <Latency result={result} />
          <Details result={result} />
        </main>
        <p class="status" role="status" aria-live="polite" />
        <script dangerouslySetInnerHTML={{ __html: reportAssets.script }} />
      </body>
    </html>
  );
}
