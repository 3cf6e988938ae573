import type { JsonObject } from '../validate-input.ts';
import { complete } from './completion.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import type { Caller } from './protocol/caller.ts';
import type { Catalog } from './protocol/catalog.ts';
import type { Request } from './protocol/messages.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import { callTool, listTools } from './tools.ts';

/** What the server offers in every revision. */
export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
} as const;

/** The result of a method that every revision has; undefined if there is no such method. */
export const resultOf = (
  catalog: Catalog,
  { method, params }: Request,
  revision: string,
  caller: Caller,
): JsonObject | Promise<JsonObject> | undefined => {
  switch (method) {
    case 'tools/list':
      return listTools(catalog, params);
    case 'tools/call':
      return callTool(catalog, params, revision, caller);
    case 'prompts/list':
      return listPrompts(catalog, params);
    case 'prompts/get':
      return getPrompt(catalog, params, caller);
    case 'resources/list':
      return listResources(catalog, params);
    case 'resources/templates/list':
      return listTemplates(catalog, params);
    case 'resources/read':
      return readResource(catalog, params, revision, caller);
    case 'completion/complete':
      return complete(catalog, params);
    default:
      return undefined;
  }
};
