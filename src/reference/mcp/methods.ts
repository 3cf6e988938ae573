import type { JsonObject } from '../validate-input.ts';
import { complete } from './completion.ts';
import type { Request } from './messages.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import { callTool, listTools } from './tools.ts';

/** What the server offers in every revision. */
export const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} } as const;

/** The result of a method that every revision has; undefined if there is no such method. */
export const resultOf = (
  { method, params }: Request,
  revision: string,
  signal: AbortSignal | undefined,
): JsonObject | Promise<JsonObject> | undefined => {
  switch (method) {
    case 'tools/list':
      return listTools(params);
    case 'tools/call':
      return callTool(params, revision, signal);
    case 'prompts/list':
      return listPrompts(params);
    case 'prompts/get':
      return getPrompt(params);
    case 'resources/list':
      return listResources(params);
    case 'resources/templates/list':
      return listTemplates(params);
    case 'resources/read':
      return readResource(params, revision < '2026-07-28' ? 'resourceNotFound' : 'invalidParams');
    case 'completion/complete':
      return complete(params);
    default:
      return undefined;
  }
};
