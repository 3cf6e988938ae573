import { referenceFunctions } from '../../functions.ts';
import type { JsonObject } from '../../validate-input.ts';
import type { Resource, Template } from '../protocol/catalog.ts';

/** A picture of one pixel. */
export const dotPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const about = {
  uri: 'reference://about',
  mimeType: 'text/plain',
  text: 'A conforming server of the Model Context Protocol, to copy.',
};

/** Changes every second. */
export const clockUri = 'reference://clock';

export const referenceResources: readonly Resource[] = [
  {
    listed: { uri: about.uri, name: 'about', description: 'What this server is.', mimeType: 'text/plain' },
    read: () => ({ mimeType: 'text/plain', text: about.text }),
  },
  {
    listed: {
      uri: 'reference://dot.png',
      name: 'dot',
      description: 'A picture of one pixel.',
      mimeType: 'image/png',
    },
    read: () => ({ mimeType: 'image/png', blob: dotPng }),
  },
  {
    listed: {
      uri: clockUri,
      name: 'clock',
      description: 'The time of the server. It changes every second.',
      mimeType: 'text/plain',
    },
    read: () => ({ mimeType: 'text/plain', text: `${new Date().toISOString().slice(0, 19)}Z` }),
    ttlMs: 0,
  },
];

/** For each function, the address of its description. */
const prefix = 'reference://functions/';

export const referenceTemplates: readonly Template[] = [
  {
    listed: {
      uriTemplate: `${prefix}{name}`,
      name: 'function',
      description: 'The parameters of a function, and what it returns.',
      mimeType: 'application/json',
    },
    completions: { name: referenceFunctions.map(({ name }) => name) },
    has: (uri) => functionAt(uri) !== undefined,
    read: (uri) => ({ mimeType: 'application/json', text: JSON.stringify(functionAt(uri)) }),
  },
];

/** Compared with the names of functions, so no address leads anywhere else. */
const functionAt = (uri: string): JsonObject | undefined => {
  const fn = referenceFunctions.find(({ name }) => uri === prefix + encodeURIComponent(name));
  if (fn === undefined) return undefined;
  const { name, description, parameters, returns } = fn;
  return { name, description, parameters, returns };
};
