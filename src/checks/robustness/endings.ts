import { isExplored, isInvalid, type PlannedCall } from '../../model/call.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { firstAttemptKey } from '../../model/exchange-key.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { callIn, methodAndPlace, wasLost } from '../../model/sent.ts';
import type { Conversation } from '../../model/wire.ts';
import { type Asked, cannotJudge, defineCheck, judgeEach } from '../define-check.ts';

/*
 * A process that ends takes every request with it that is under way. Each is asked again, alone: the one that ends the
 * server again is the cause, and if none does, their number or the time was.
 */

/** What it was to answer when it ended. */
function lostIn({ name }: Conversation, exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.filter((one) => wasLost(one) && one.request.message?.conversation === name);
}

/** Ended by itself; with `spoilt`, of those to which a text that is not JSON was sent on purpose. */
function gone(conversations: readonly Conversation[], spoilt: boolean): readonly Conversation[] {
  return conversations.filter(({ name, ended }) => ended?.by === 'server' && SPOILT.test(name) === spoilt);
}

/** Also when it was started again. */
const SPOILT = /^spoilt(-again-\d+)?$/;

type FatalCall = Asked & { readonly call: PlannedCall };

/** The valid calls that the server ended instead of answering. */
function fatalCalls(asked: readonly Asked[]): readonly FatalCall[] {
  return asked.flatMap((one) => {
    const { exchange, call } = one;
    const isLost = exchange.kind === 'unanswered' && exchange.reason.code === 'closed-early';
    return isLost && call !== null && !isInvalid(call.inputSource) ? [{ ...one, call }] : [];
  });
}

/** Of the functions that it was to answer when it ended, the calls that end it. */
function causesOf(
  { asked, exchanges }: { readonly asked: readonly Asked[]; readonly exchanges: readonly Exchange[] },
  ended: Conversation,
): readonly FatalCall[] {
  const called = new Set(lostIn(ended, exchanges).map(({ request }) => callIn(request)?.functionName));
  return fatalCalls(asked).filter(({ call }) => called.has(call.functionName));
}

export const outlivesCalls = defineCheck(
  'step',
  'outlives-calls',
  'no process of the server that ended had a valid call to answer that ends it again; of generated inputs, and of functions that answer nothing, other requirements decide',
  (context) => {
    const answered = new Set(
      context.asked.flatMap(({ exchange, call }) =>
        call === null || exchange.kind === 'unanswered' ? [] : [call.functionName],
      ),
    );
    const ended = gone(context.conversations, false);
    if (ended.length === 0) return inapplicable('no process of the server ended by itself');
    const causes = ended.flatMap((conversation) =>
      causesOf(context, conversation)
        // Of a function that answers nothing, its first call says so.
        .filter(({ call }) => !isExplored(call.inputSource) && answered.has(call.functionName))
        .map((one) => [firstAttemptKey(one.exchange.request.key), { ...one, conversation }] as const),
    );
    return judgeEach([...new Map(causes).values()], ({ call, exchange, conversation }) =>
      failed({
        message: `the server ended instead of answering a valid call of "${call.functionName}"`,
        expected: 'an answer, and a server that goes on',
        received: lastWords(conversation),
        advice: `Call "${call.functionName}" with the shown input and read how the process ended. Turn every exception, those of asynchronous parts included, into a result with isError: true and a text.`,
        exchangeKey: exchange.request.key,
      }),
    );
  },
  { isIncidental: () => true },
);

export const neverEnded = defineCheck(
  'step',
  'never-ended',
  'no process of the server ended by itself, but for the conversation that is spoilt on purpose, and for one that ended well and has nothing to answer that ends it again',
  (context) => {
    const ended = gone(context.conversations, false);
    const other = ended.find(
      (one) => causesOf(context, one).length === 0 && !endedWell(one, context.exchanges),
    );
    if (other !== undefined) return endedItself(other, context.exchanges);
    const [cause] = ended.flatMap((one) => causesOf(context, one));
    if (cause === undefined) return passed;
    return cannotJudge(isExplored(cause.call.inputSource) ? 'generated-input' : 'valid-call');
  },
  {
    reasons: {
      'valid-call': 'it ended instead of answering a valid call',
      'generated-input': 'it ended instead of answering a generated valid input',
    },
  },
);

/** A server may shut down by itself (transports, standard streams). What it leaves unanswered it may not. */
function endedWell(conversation: Conversation, exchanges: readonly Exchange[]): boolean {
  return (
    conversation.ended?.reason === 'exit code 0' &&
    lostIn(conversation, exchanges).every((one) => wasAnsweredAgain(one, exchanges))
  );
}

/** Whether the lost request was answered at another attempt. */
function wasAnsweredAgain(lost: Exchange, exchanges: readonly Exchange[]): boolean {
  const first = firstAttemptKey(lost.request.key);
  return exchanges.some((one) => isAnswer(one) && firstAttemptKey(one.request.key) === first);
}

export const goesOnWhenSpoilt = defineCheck(
  'step',
  'goes-on-when-spoilt',
  'the process did not end in the conversation in which a text that is not JSON was sent',
  ({ exchanges, conversations }) => {
    const [ended] = gone(conversations, true);
    return ended === undefined ? passed : endedItself(ended, exchanges);
  },
);

function endedItself(conversation: Conversation, exchanges: readonly Exchange[]): Finding {
  const lost = lostIn(conversation, exchanges);
  const unsolved = lost.filter((one) => !wasAnsweredAgain(one, exchanges));
  const all = lost.map(({ request }) => methodAndPlace(request).method).join(', ');
  const isSolved = lost.length > 0 && unsolved.length === 0;
  return failed({
    message: 'the server ended while the check was talking to it',
    expected: 'a server that goes on, whatever it is sent',
    received: `${lastWords(conversation)}${isSolved ? `. It had to answer: ${all}. Asked again alone, each was answered` : ''}`,
    advice: isSolved
      ? 'Send these requests at the same moment, or as many as the check sent before, and read how the process ended: an uncaught exception, exit code 137 (often memory) or 139 (segmentation fault).'
      : undefined,
    exchangeKey: unsolved[0]?.request.key,
  });
}

function lastWords({ ended, stderr }: Conversation): string {
  const lines = stderr
    .trim()
    .split(/\s*\n\s*/)
    .slice(-MAX_LINES)
    .join(' | ');
  return `${ended?.reason}${lines === '' ? '' : `; the last lines of its standard error: ${lines}`}`;
}

const MAX_LINES = 5;
