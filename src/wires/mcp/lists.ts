import { type Json, ownItems, ownProperty } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import type { Listed } from '../../model/request-template.ts';
import { answeringMessage } from './answer.ts';

/** The method that lists something, and the member of its results. */
export const LISTS: Readonly<Record<Listed, { readonly method: string; readonly member: string }>> = {
  functions: { method: 'tools/list', member: 'tools' },
  prompts: { method: 'prompts/list', member: 'prompts' },
  resources: { method: 'resources/list', member: 'resources' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates' },
};

/** An entry of a list, with its pointer in the answer. */
export interface ListedEntry {
  readonly entry: Json;
  readonly pointer: string;
}

/** The entries on one page of a list. */
export function entriesOn(answer: Answer, listed: Listed): readonly ListedEntry[] {
  const { member } = LISTS[listed];
  return ownItems(resultOf(answer), member).map((entry, index) => ({
    entry,
    pointer: `/result/${member}/${index}`,
  }));
}

/** The cursor of the next page; undefined on the last one. */
export function nextCursor(answer: Answer): Json | undefined {
  return ownProperty(resultOf(answer), 'nextCursor');
}

/** The result that answers a request; undefined if none does. */
export function resultOf(answer: Answer): Json | undefined {
  const message = answeringMessage(answer)?.message;
  return message?.kind === 'result' ? message.result : undefined;
}
