import { say } from '../../command-line/terminal.ts';
import { stringifyExactly } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { type Exchange, type Heard, isAnswer } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import type { Spoken } from '../../model/wire.ts';
import type { OpenConversation, OpeningSettings, ToSend } from '../../run/conversations/opened.ts';
import { sendReply } from '../../run/conversations/replies.ts';
import { answeredParams, answerTo, MAX_ROUNDS } from '../../wires/mcp/client-answers.ts';
import { resultOf } from '../../wires/mcp/lists.ts';
import { messagesInLine } from '../../wires/mcp/messages.ts';

type Take = NonNullable<OpeningSettings['onHeard']>;

/** Answers what a server asks like a check without any configuration, and says so. `show` gets all that arrives. */
export function answerQuestions(show: Take, wasDeclared: boolean) {
  const early: Heard[] = [];
  let answer = (heard: Heard): void => void early.push(heard);
  return {
    take: (...[heard, key, isKept]: Parameters<Take>): void => {
      show(heard, key, isKept);
      answer(heard);
    },
    /** The conversation is open. */
    start: (conversation: OpenConversation, { era, channel }: Spoken): void => {
      const answers = wasDeclared && era === 'session' ? {} : null;
      answer = ({ bytes }) => {
        for (const { message } of messagesInLine(bufferFrom(bytes))) {
          if (message.kind !== 'request') continue;
          const { said } = answerTo(message, answers);
          say(`The server asks for ${visible(message.method)}. Answered with ${stringifyExactly(said)}.`);
          sendReply(conversation, { jsonrpc: '2.0', id: message.id, ...said }, channel);
        }
      };
      for (const heard of early) answer(heard);
    },
  };
}

/** Sends a message again whose server asked for input before it answers (revision 2026-07-28), a few times. */
export async function sendAgain(
  first: Exchange,
  message: JsonObject | null,
  firstId: number,
  send: (sent: Pick<ToSend, 'bytes' | 'message' | 'awaited'>) => Promise<Exchange>,
): Promise<Exchange> {
  let exchange = first;
  for (let round = 0; round < MAX_ROUNDS && message !== null && isAnswer(exchange); round += 1) {
    const params = answeredParams(message, resultOf(exchange) ?? null, {});
    if (params === null) break;
    const next = { ...message, id: firstId + round, params };
    say(`The server asks for input. Sent again with ${stringifyExactly(params.inputResponses ?? {})}.`);
    exchange = await send({ bytes: Buffer.from(stringifyExactly(next)), message: next, awaited: next.id });
  }
  return exchange;
}
