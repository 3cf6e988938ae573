import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { reportAssets } from '../../generated/report-assets.ts';

// This folder has the parts of pages: this frame, `elements.tsx` for all pages, and a file for each section of a report.
// The pages are put together in `formats/`; the directory uses the same parts.

/** Loads nothing and allows only this style and this script, whatever the texts contain. */
function contentSecurityPolicy(scriptHash: string): string {
  return [
    "default-src 'none'",
    `style-src '${reportAssets.styleHash}'`,
    `script-src '${scriptHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const OF_A_REPORT = { text: reportAssets.script, hash: reportAssets.scriptHash };
export const OF_AN_INDEX = { text: reportAssets.indexScript, hash: reportAssets.indexScriptHash };

export function Page({
  title,
  script = OF_A_REPORT,
  children,
}: Readonly<{ title: string; script?: typeof OF_A_REPORT; children: ComponentChildren }>): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={contentSecurityPolicy(script.hash)} />
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
        {children}
        <p class="status" role="status" aria-live="polite" />
        <script dangerouslySetInnerHTML={{ __html: script.text }} />
      </body>
    </html>
  );
}

/** The text of a page, without what HTML does not need. Pure. */
export function pageText(page: VNode): string {
  return `<!doctype html>\n${compact(renderToString(page))}\n`;
}

/** Ends that the next element, or the end of the parent, implies. */
const IMPLIED_ENDS = /<\/(?:td|th|tr|li|dt|dd)>|<\/p>(?=<\/?(?:details|div|dl|h3|p|pre|section|td|th|ul)\b)/g;
const EMPTY_SHAPES = /><\/(?:path|rect|circle|line)>/g;
const TEXT = /<\/?(?:code|dd|li|mark|p|span)(?: class="[\w ]+")?>[^<]*/g;

/**
 * No text and no attribute contains these tags, because `<` is escaped in both. A quote needs an escape only in
 * attributes.
 */
function compact(html: string): string {
  return html
    .replaceAll(IMPLIED_ENDS, '')
    .replaceAll(EMPTY_SHAPES, '/>')
    .replaceAll(TEXT, (text) => text.replaceAll('&quot;', '"'));
}
