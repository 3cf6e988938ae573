import { parseExactly } from '../../json/exact-json.ts';
import { isJsonObject, type Json, ownProperty, ownText, shorten } from '../../json/json.ts';
import { type Answer, type Exchange, type HeardExchange, isAnswer } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, type Shortcoming } from '../../model/judgement.ts';
import type { Listed } from '../../model/request-template.ts';
import { bufferFrom, messageMethod, sentJson } from '../../model/sent.ts';
import type { Conversation } from '../../model/wire.ts';
import { answeringMessage, isMessage, messagesOf, toolOutcome } from '../../wires/mcp/answer.ts';
import { entriesOn } from '../../wires/mcp/lists.ts';
import { messagesInLine, type ReadMessage } from '../../wires/mcp/messages.ts';
import type { ListedTool } from '../../wires/mcp/tools.ts';
import type { Asked } from '../define-check.ts';

// What servers of the Model Context Protocol sent in a run, for the checks of this folder: every message with the request
// that it came for, the results of tools, and the tools that are listed.

/** A message, and where it came from. */
export interface Received {
  readonly read: ReadMessage;
  /** The exchange for which it came; null for what a process wrote unasked. */
  readonly exchange: Answer | null;
  readonly conversation: string;
  /** Of what a process wrote unasked: since the conversation was opened. */
  readonly atMs: number | null;
}

/** What was answered over a conversation, in order. */
export function answersOf(asked: readonly Asked[]): readonly Answer[] {
  return eachOnce(asked).filter(isAnswer).filter(isMessage);
}

/** A call that took the place of a refused one is also among those that were made on the way. */
function eachOnce(asked: readonly Asked[]): readonly Exchange[] {
  return [...new Map(asked.map(({ exchange }) => [exchange.request.key, exchange])).values()];
}

/** Every message of a run, also those that came instead of an answer, and unasked. */
export function receivedIn(
  asked: readonly Asked[],
  conversations: readonly Conversation[],
): readonly Received[] {
  const answers = answersOf(asked);
  const exchanged = answers.flatMap((exchange) =>
    messagesOf(exchange).map((read) => ({
      read,
      exchange,
      conversation: conversationOf(exchange),
      atMs: null,
    })),
  );
  const instead = eachOnce(asked).flatMap((exchange) =>
    exchange.kind === 'unanswered'
      ? (exchange.heard ?? []).map((heard) => ({ heard, conversation: conversationOf(exchange) }))
      : [],
  );
  const unasked = conversations.flatMap(({ name, unasked: lines }) =>
    lines.map((heard) => ({ heard, conversation: name })),
  );
  return [
    ...exchanged,
    ...[...instead, ...unasked].flatMap(({ heard, conversation }) =>
      messagesInLine(bufferFrom(heard.bytes)).map((read) => ({
        read,
        exchange: null,
        conversation,
        atMs: heard.atMs,
      })),
    ),
  ];
}

/** The same without what came in sessions, which a server that also has no sessions may open. */
export function receivedWithoutSessions(
  asked: readonly Asked[],
  conversations: readonly Conversation[],
): readonly Received[] {
  const sessions = new Set(
    answersOf(asked)
      .filter((one) => methodOf(one) === 'initialize' && answeringMessage(one)?.message.kind === 'result')
      .map(conversationOf),
  );
  return receivedIn(asked, conversations).filter(({ conversation }) => !sessions.has(conversation));
}

/** The messages of a piece that was written to a process at once; none if one of them is no JSON. */
export function messagesSentIn({ request }: Pick<HeardExchange, 'request'>): readonly Json[] {
  if ('parts' in request.line) return [];
  try {
    const text = bufferFrom(request.line).toString('utf8').trim();
    return text.split('\n').map((line) => parseExactly(line));
  } catch {
    return [];
  }
}

export function conversationOf({ request }: Asked['exchange']): string {
  return request.message?.conversation ?? '';
}

/** The method of the request; null for bytes that are no message. */
export function methodOf(exchange: Asked['exchange']): string | null {
  return messageMethod(exchange.request);
}

export interface PagedTool extends ListedTool {
  readonly exchangeKey: string;
}

/** The entries of a list on all of its pages. */
export function listedIn(asked: readonly Asked[], listed: Listed) {
  return answersOf(asked).flatMap((answer) =>
    entriesOn(answer, listed).map((one) => ({ ...one, exchangeKey: answer.request.key })),
  );
}

export function toolsIn(asked: readonly Asked[]): readonly PagedTool[] {
  return listedIn(asked, 'functions').map(({ entry, ...place }) => ({ tool: entry, ...place }));
}

export function nameOf(tool: Json): string {
  const name = ownText(tool, 'name');
  return name === null ? 'without a name' : JSON.stringify(name);
}

/** The calls of tools that were answered with a result. */
export function toolResultsIn(asked: readonly Asked[]) {
  return asked.flatMap(({ exchange, call, item }) => {
    if (!isAnswer(exchange) || !isMessage(exchange) || methodOf(exchange) !== 'tools/call') return [];
    const message = answeringMessage(exchange)?.message;
    // A request for input has no content yet.
    if (toolOutcome(exchange).kind === 'wants-input') return [];
    if (message?.kind !== 'result' || !isJsonObject(message.result)) return [];
    const params = ownProperty(sentJson(exchange.request), 'params');
    const tool = call?.functionName ?? String(ownProperty(params, 'name'));
    // What the tool declares that it returns, if anything.
    const isListed = ownProperty(item, 'name') === call?.functionName;
    const outputSchema = isListed ? ownProperty(item, 'returns') : undefined;
    return [{ tool, result: message.result, exchangeKey: exchange.request.key, outputSchema }];
  });
}

/** Judges calls of tools; one finding for each tool is enough. */
export function judgeTools<Call extends { readonly tool: string; readonly exchangeKey: string }>(
  calls: readonly Call[],
  whenNone: string,
  problemOf: (call: Call) => Shortcoming | Omit<Parameters<typeof failed>[0], 'exchangeKey'> | null,
): Finding | readonly Finding[] {
  if (calls.length === 0) return inapplicable(whenNone);
  const found = calls.flatMap((call): readonly (readonly [tool: string, Finding])[] => {
    const { tool, exchangeKey } = call;
    const problem = problemOf(call);
    if (problem === null) return [];
    return [[tool, 'outcome' in problem ? { ...problem, exchangeKey } : failed({ ...problem, exchangeKey })]];
  });
  // A failure says more than a doubt.
  const isFailed = ([, { outcome }]: (typeof found)[number]): number => (outcome === 'failed' ? 1 : 0);
  const ordered = found.toSorted((one, other) => isFailed(other) - isFailed(one));
  const firstOfEach = [...new Map(ordered.toReversed()).values()].toReversed();
  return firstOfEach.length === 0 ? passed : firstOfEach;
}

/** The start of what was read, for a finding. */
export function shownBytes({ bytes }: ReadMessage): string {
  return shorten(Buffer.from(bytes).toString('utf8'));
}
