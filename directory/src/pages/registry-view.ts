import { isJsonObject, type JsonObject, ownItems, ownProperty, ownText } from 'probity/model';
import type { ServerRow } from '../registry/read-servers.ts';
import { nameOf } from '../registry/server-answer.ts';

/** A version of a server for its page. All texts are those of its author, so pages show them with `visibleText`. */
export interface RegistryView {
  readonly row: ServerRow;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly packages: readonly JsonObject[];
  readonly remotes: readonly JsonObject[];
  readonly websiteUrl: string | null;
  readonly repositoryUrl: string | null;
}

export function registryView(row: ServerRow, namespace: string): RegistryView {
  const document: unknown = JSON.parse(row.document);
  const name = nameOf(row, namespace);
  return {
    row,
    name,
    title: ownText(document, 'title') ?? name,
    description: ownText(document, 'description') ?? '',
    packages: ownItems(document, 'packages').filter(isJsonObject),
    remotes: ownItems(document, 'remotes').filter(isJsonObject),
    websiteUrl: ownText(document, 'websiteUrl'),
    repositoryUrl: ownText(ownProperty(document, 'repository'), 'url'),
  };
}
