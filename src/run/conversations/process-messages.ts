// Messages over the standard streams of a process, each in a line, and what it writes.
import { stringifyExactly } from '../../json/exact-json.ts';
import { type Json, type JsonObject, shorten } from '../../json/json.ts';
import type { HeardExchange } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import type { Era } from '../../model/wire.ts';
import type { ProcessConversation } from '../../probe/stdio/process-conversation.ts';
import { answersTo, type Message, messagesInLine } from '../../wires/mcp/messages.ts';
import type { OpenConversation } from './opened.ts';

export function overProcess(process: ProcessConversation, signal: AbortSignal): OpenConversation {
  return {
    send: ({ key, bytes, awaited, isAnswer, timeoutMs }) =>
      process.exchange({
        key,
        awaited,
        bytes: bytes.at(-1) === LINE_END[0] ? bytes : Buffer.concat([bytes, LINE_END]),
        isAnswer: isAnswer ?? (awaited === null ? null : (line) => hasAnswer(line, awaited)),
        timeoutMs,
        signal,
      }),
    endInput: (key, timeoutMs) => process.endInput(key, timeoutMs, signal),
    ended: () => process.ended,
    close: () => process.close(),
    log: () => process.log(),
  };
}

const LINE_END = Buffer.from('\n');

function hasAnswer(line: Uint8Array, id: Json): boolean {
  return messagesInLine(line).some(({ message }) => answersTo(id, message));
}

export function lineOf(message: JsonObject): Uint8Array {
  return Buffer.from(`${stringifyExactly(message)}\n`);
}

/** A question that opens an era, and its answer; null without one. */
export interface Asked {
  readonly era: Era;
  readonly method: string;
  readonly exchange: HeardExchange;
  readonly answer: Message | null;
  /** The same, or an answer that has the id as a text: no client takes it for its answer. */
  readonly meant: Message | null;
}

export async function ask(
  process: ProcessConversation,
  { era, id, message }: { readonly era: Era; readonly id: number; readonly message: JsonObject },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  const method = String(message.method);
  const exchange = await process.exchange({
    key: `${process.name}/${method}#${id}`,
    bytes: lineOf(message),
    awaited: id,
    isAnswer: (line) => hasAnswer(line, id) || hasAnswer(line, String(id)),
    timeoutMs,
    signal,
  });
  const messages = exchange.heard.flatMap(({ bytes }) => messagesInLine(bufferFrom(bytes)));
  const withId = (wanted: Json): Message | null =>
    messages.find(({ message: one }) => answersTo(wanted, one))?.message ?? null;
  const answer = withId(id);
  return { era, method, exchange, answer, meant: answer ?? withId(String(id)) };
}

export function said({ exchange }: Asked): string {
  return exchange.heard.map(({ bytes }) => shorten(bufferFrom(bytes).toString())).join(' ');
}

/** What it wrote instead of an answer, as a sentence. */
export function wrote(process: ProcessConversation): string {
  const { unasked, omitted } = process.log();
  const [first] = unasked;
  if (first === undefined) return '';
  const count = unasked.length + omitted.lines;
  const line = shorten(bufferFrom(first.bytes).toString());
  return ` It wrote ${count} ${count === 1 ? 'line that is' : 'lines that are'} no answer, the first: ${line}. A message is JSON in one line.`;
}
