import type { VNode } from 'preact';
import { Command } from 'probity/html';
import { badgeMessage } from './entry-badge.ts';
import type { EntryView } from './entry-view.ts';
import { readCommand } from './example-call.ts';

/** The badge to show elsewhere, and the same entry for programs. */
export function Embed({ entry, isPublic }: { readonly entry: EntryView; readonly isPublic: boolean }): VNode {
  const { id, pageUrl, apiUrl } = entry;
  const badgeUrl = `${pageUrl}/badge.svg`;
  return (
    <>
      <section id="badge" aria-labelledby="badge-title">
        <h2 id="badge-title">Badge</h2>
        <p>
          <img
            class="badge"
            src={`/servers/${id}/badge.svg`}
            alt={`MCP: ${badgeMessage(entry)}`}
            height={20}
          />
        </p>
        <p>
          {isPublic
            ? 'It can be shown anywhere, and tells what this page tells.'
            : 'This directory is read with an API key only, and so is its badge: shown elsewhere, it stays empty until the operator makes the pages public.'}
        </p>
        <Command label="Markdown" text={`[![MCP directory](${badgeUrl})](${pageUrl})`} />
        <Command
          label="HTML"
          text={`<a href="${pageUrl}"><img src="${badgeUrl}" alt="MCP directory" height="20"></a>`}
        />
      </section>
      <section id="api" aria-labelledby="api-title">
        <h2 id="api-title">The same for programs</h2>
        <p>
          Everything on this page, as JSON, with an API key;{' '}
          <a href="/v1/openapi.json">the API’s description</a> is read without one.
        </p>
        <Command label="This entry" text={readCommand(apiUrl)} />
      </section>
    </>
  );
}
