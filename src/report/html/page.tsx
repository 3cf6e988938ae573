import type { ComponentChildren, VNode } from 'preact';
import { reportAssets } from '../../generated/report-assets.ts';

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

interface Script {
  readonly text: string;
  readonly hash: string;
}

const OF_A_REPORT: Script = { text: reportAssets.script, hash: reportAssets.scriptHash };
export const OF_AN_INDEX: Script = { text: reportAssets.indexScript, hash: reportAssets.indexScriptHash };

/** A page that needs no network and no other file. */
export function Page({
  title,
  script = OF_A_REPORT,
  children,
}: {
  readonly title: string;
  readonly script?: Script;
  readonly children: ComponentChildren;
}): VNode {
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
