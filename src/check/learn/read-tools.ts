import type { JsonObject } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { exchangeKey } from '../../model/exchange-key.ts';
import type { PlannedMessage, Probe } from '../../model/probe.ts';
import type { RunSettings } from '../../model/report.ts';
import { MAIN_CONVERSATION, type Opened } from '../../model/wire.ts';
import { nextCursor } from '../../wires/mcp/lists.ts';
import { functionsOf } from '../../wires/mcp/tools.ts';

/** What a server of the Model Context Protocol says of itself, outside of a check. */
export type ReadTools =
  | { readonly kind: 'open'; readonly opened: Opened; readonly functions: readonly JsonObject[] }
  | { readonly kind: 'not-open'; readonly failure: string };

const MAX_PAGES = 100;

/** Opens a conversation, which stays open, and reads all pages of tools/list. */
export async function readTools(
  probe: Probe,
  { requestTimeoutMs: timeoutMs, mcp }: RunSettings,
  keyOf: string,
): Promise<ReadTools> {
  const opening = await probe.open?.({
    key: `${keyOf}/open#0`,
    conversation: MAIN_CONVERSATION,
    version: null,
    timeoutMs: mcp?.startTimeoutMs ?? timeoutMs,
    feedsLaterSteps: true,
  });
  if (opening === undefined || opening.opened === null) {
    const deciding = opening?.deciding;
    const failure = deciding?.kind === 'unanswered' ? deciding.reason.message : 'it opens no conversation';
    return { kind: 'not-open', failure };
  }
  const pages = [];
  const seen = new Set<unknown>();
  for (let cursor: string | null = ''; cursor !== null && pages.length < MAX_PAGES; ) {
    const params: JsonObject = cursor === '' ? {} : { cursor };
    const key = exchangeKey(`${keyOf}/list`, pages.length);
    const page = await probe.send({ ...plainMessage({ method: 'tools/list', params }), key, timeoutMs });
    if (!isAnswer(page)) break;
    pages.push(page);
    const next = nextCursor(page);
    cursor = typeof next === 'string' && !seen.has(next) ? next : null;
    seen.add(next);
  }
  return { kind: 'open', opened: opening.opened, functions: functionsOf(pages) };
}

/** A message of the main conversation without anything unusual. */
export function plainMessage(message: JsonObject): Omit<PlannedMessage, 'key' | 'timeoutMs'> {
  const sends = { kind: 'message', message } as const;
  return { conversation: MAIN_CONVERSATION, sends, headers: [], anonymous: false, feedsLaterSteps: true };
}
