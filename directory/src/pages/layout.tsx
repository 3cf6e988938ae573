import type { ComponentChildren, VNode } from 'preact';
import { reportAssets } from 'probity/html';
import { pageAssets } from '../generated/page-assets.ts';

/** The frame of every page: header, navigation and scripts. */
export function Layout({
  title,
  signedIn = false,
  children,
}: Readonly<{ title: string; signedIn?: boolean; children: ComponentChildren }>): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Directory of MCP servers`}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <style dangerouslySetInnerHTML={{ __html: pageAssets.style }} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="home" href="/">
            Directory of MCP servers
          </a>
          <nav aria-label="Directory">
            <ul>
              <li>
                <a href="/">Search</a>
              </li>
              <li>
                <a href="/v1/openapi.json">API</a>
              </li>
              {signedIn ? (
                <li>
                  <form method="post" action="/sign-out">
                    <button type="submit">Sign out</button>
                  </form>
                </li>
              ) : null}
            </ul>
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <p class="status" role="status" aria-live="polite" />
        <script dangerouslySetInnerHTML={{ __html: reportAssets.script }} />
      </body>
    </html>
  );
}
