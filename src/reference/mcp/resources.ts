import { referenceFunctions } from '../functions.ts';
import type { JsonObject } from '../validate-input.ts';
import { ProtocolError } from './messages.ts';
import { pageOf } from './pages.ts';

/** Few, so that clients have more than one page to read. */
const pageSize = 1;

/** A picture of one pixel. */
export const dotPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Contents = { readonly text: string } | { readonly blob: string };

const resources = [
  {
    uri: 'reference://about',
    name: 'about',
    description: 'What this server is.',
    mimeType: 'text/plain',
    contents: { text: 'A conforming server of the Model Context Protocol, to copy.' },
  },
  {
    uri: 'reference://dot.png',
    name: 'dot',
    description: 'A picture of one pixel.',
    mimeType: 'image/png',
    contents: { blob: dotPng },
  },
] as const;

/** For each function, the address of its description. */
const prefix = 'reference://functions/';
export const functionTemplate = `${prefix}{name}`;
const templates = [
  {
    uriTemplate: functionTemplate,
    name: 'function',
    description: 'The parameters of a function, and what it returns.',
    mimeType: 'application/json',
  },
];

/** The result of resources/list. */
export const listResources = (params: JsonObject): JsonObject => {
  const { entries, nextCursor } = pageOf(resources, ({ uri }) => uri, pageSize, params);
  return { resources: entries.map(({ contents: _contents, ...listed }) => listed), nextCursor };
};

/** The result of resources/templates/list. */
export const listTemplates = (params: JsonObject): JsonObject => {
  const { entries, nextCursor } = pageOf(templates, ({ uriTemplate }) => uriTemplate, pageSize, params);
  return { resourceTemplates: entries, nextCursor };
};

/** The result of resources/read. The error of an unknown resource has another code before revision 2026-07-28. */
export const readResource = (
  { uri }: JsonObject,
  whenUnknown: 'resourceNotFound' | 'invalidParams' = 'invalidParams',
): { readonly contents: readonly JsonObject[] } => {
  if (typeof uri !== 'string') throw new ProtocolError('invalidParams', 'uri must be a string.');
  const found = contentsOf(uri);
  if (found === undefined) throw new ProtocolError(whenUnknown, 'Resource not found', { uri });
  return { contents: [{ uri, ...found }] };
};

const contentsOf = (uri: string): (Contents & { readonly mimeType: string }) | undefined => {
  const listed = resources.find((resource) => resource.uri === uri);
  if (listed !== undefined) return { mimeType: listed.mimeType, ...listed.contents };
  // Compared with the names of functions, so no address leads anywhere else.
  const fn = referenceFunctions.find(({ name }) => uri === prefix + encodeURIComponent(name));
  if (fn === undefined) return undefined;
  const { name, description, parameters, returns } = fn;
  return { mimeType: 'application/json', text: JSON.stringify({ name, description, parameters, returns }) };
};
