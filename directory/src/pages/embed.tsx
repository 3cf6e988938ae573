import type { VNode } from 'preact';
import { Command } from 'probity/html';
import { badgeMessage } from './entry-badge.ts';
import type { EntryView } from './entry-view.ts';
import { readCommand } from './function-view.ts';

/** The badge for other sites, and the API address of the entry. */
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
            ? 'You can embed it anywhere. It shows the current state of this entry.'
            : 'The pages and badges of this directory require an API key. On other sites the badge stays empty until the operator makes the pages public.'}
        </p>
        <Command label="Markdown" text={`[![MCP directory](${badgeUrl})](${pageUrl})`} />
        <Command
          label="HTML"
          text={`<a href="${pageUrl}"><img src="${badgeUrl}" alt="MCP directory" height="20"></a>`}
        />
      </section>
      <section id="api" aria-labelledby="api-title">
        <h2 id="api-title">API</h2>
        <p>
          The API returns everything on this page as JSON. It requires an API key;{' '}
          <a href="/v1/openapi.json">its OpenAPI document</a> does not.
        </p>
        <Command label="This entry" text={readCommand(apiUrl)} />
      </section>
    </>
  );
}
