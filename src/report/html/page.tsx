import type { ComponentChildren, VNode } from 'preact';
import { reportAssets } from '../../generated/report-assets.ts';

/** Loads nothing and allows only this style and this script, whatever the texts contain. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${reportAssets.styleHash}'`,
  `script-src '${reportAssets.scriptHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A page that needs no network and no other file. */
export function Page({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): VNode {
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
        {children}
        <p class="status" role="status" aria-live="polite" />
        <script dangerouslySetInnerHTML={{ __html: reportAssets.script }} />
      </body>
    </html>
  );
}
