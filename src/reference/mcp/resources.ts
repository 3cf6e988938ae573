import type { JsonObject } from '../validate-input.ts';
import type { Caller } from './protocol/caller.ts';
import type { Catalog } from './protocol/catalog.ts';
import { ProtocolError } from './protocol/messages.ts';
import { pageOf } from './protocol/pages.ts';

/** The result of resources/list. */
export const listResources = ({ resources, pageSizes }: Catalog, params: JsonObject): JsonObject => {
  const listed = resources.map((resource) => resource.listed);
  const { entries, nextCursor } = pageOf(listed, ({ uri }) => uri, pageSizes.resources, params);
  return { resources: entries, nextCursor };
};

/** The result of resources/templates/list. */
export const listTemplates = ({ templates, pageSizes }: Catalog, params: JsonObject): JsonObject => {
  const listed = templates.map((template) => template.listed);
  const keyOf = ({ uriTemplate }: { readonly uriTemplate: string }): string => uriTemplate;
  const { entries, nextCursor } = pageOf(listed, keyOf, pageSizes.resources, params);
  return { resourceTemplates: entries, nextCursor };
};

/** Whether a resource has this address, listed or not. */
export const hasResource = ({ resources, templates }: Catalog, uri: string): boolean =>
  resources.some(({ listed }) => listed.uri === uri) || templates.some((template) => template.has(uri));

/** The address that a request names. The error of an unknown one has another code before revision 2026-07-28. */
export const resourceIn = (catalog: Catalog, { uri }: JsonObject, revision: string): string => {
  if (typeof uri !== 'string') throw new ProtocolError('invalidParams', 'uri must be a string.');
  if (hasResource(catalog, uri)) return uri;
  const code = revision < '2026-07-28' ? 'resourceNotFound' : 'invalidParams';
  throw new ProtocolError(code, 'Resource not found', { uri });
};

/** The result of resources/read. */
export const readResource = async (
  catalog: Catalog,
  params: JsonObject,
  revision: string,
  caller: Caller,
): Promise<JsonObject> => {
  const uri = resourceIn(catalog, params, revision);
  const listed = catalog.resources.find((resource) => resource.listed.uri === uri);
  const template = catalog.templates.find((one) => one.has(uri));
  const contents = await (listed?.read(caller) ?? template?.read(uri, caller));
  const keepMs = revision < '2026-07-28' ? undefined : listed?.ttlMs;
  return { contents: [{ uri, ...contents }], ...(keepMs !== undefined && { ttlMs: keepMs }) };
};
