import { isExplored, isInvalid, type PlannedCall } from '../../model/call.ts';
import type { Exchange } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import type { Conversation } from '../../model/wire.ts';
import { type Asked, cannotJudge, defineCheck } from '../define-check.ts';

/** What it was to answer when it ended; of several requests the one that was sent first. */
function lostIn<One extends { readonly exchange: Exchange }>(
  { name }: Conversation,
  asked: readonly One[],
): One | undefined {
  return asked.find(
    ({ exchange }) =>
      exchange.kind === 'unanswered' &&
      exchange.reason.code === 'closed-early' &&
      exchange.request.message?.conversation === name,
  );
}

/** Ended by itself; with `spoilt`, of those to which a text that is not JSON was sent on purpose. */
function gone(conversations: readonly Conversation[], spoilt: boolean): readonly Conversation[] {
  return conversations.filter(({ name, ended }) => ended?.by === 'server' && SPOILT.test(name) === spoilt);
}

/** Also when it was started again. */
const SPOILT = /^spoilt(-again-\d+)?$/;

function isValidCall({ call }: Asked): boolean {
  return call !== null && !isInvalid(call.inputSource);
}

export const outlivesCalls = defineCheck(
  'step',
  'outlives-calls',
  'no process of the server that ended had a valid call to answer whose function answers others; of generated inputs another requirement decides',
  ({ asked, conversations }) => {
    const answered = new Set(
      asked
        .filter((one) => isValidCall(one) && one.exchange.kind !== 'unanswered')
        .map(({ call }) => call?.functionName),
    );
    const ended = gone(conversations, false);
    if (ended.length === 0) return inapplicable('no process of the server ended by itself');
    const findings = ended.flatMap((conversation) => {
      const lost = lostIn(conversation, asked);
      if (lost?.call == null || !isValidCall(lost) || isExplored(lost.call.inputSource)) return [];
      // Of a function that answers nothing, its first call says so.
      if (!answered.has(lost.call.functionName)) return [];
      return failed({
        message: `the server ended instead of answering a valid call of "${lost.call.functionName}"`,
        expected: 'an answer, and a server that goes on',
        received: lastWords(conversation),
        advice: `Call "${lost.call.functionName}" with the shown input and read how the process ended. Turn every exception, those of asynchronous parts included, into a result with isError: true and a text.`,
        exchangeKey: lost.exchange.request.key,
      });
    });
    return findings.length > 0 ? findings : passed;
  },
  { isIncidental: () => true },
);

export const neverEnded = defineCheck(
  'step',
  'never-ended',
  'no process of the server ended by itself, but for the conversation that is spoilt on purpose',
  ({ asked, exchanges, conversations }) => {
    const ended = gone(conversations, false);
    const byCall = (one: Conversation): PlannedCall | null => {
      const lost = lostIn(one, asked);
      return lost !== undefined && isValidCall(lost) ? lost.call : null;
    };
    const other = ended.find((one) => byCall(one) === null);
    if (other !== undefined) return endedItself(other, exchanges);
    const [call] = ended.map(byCall);
    if (call == null) return passed;
    return cannotJudge(isExplored(call.inputSource) ? 'generated-input' : 'valid-call');
  },
  {
    reasons: {
      'valid-call': 'it ended instead of answering a valid call',
      'generated-input': 'it ended instead of answering a generated valid input',
    },
  },
);

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
  const asked = exchanges.map((exchange) => ({ exchange }));
  return failed({
    message: 'the server ended while the check was talking to it',
    expected: 'a server that goes on, whatever it is sent',
    received: lastWords(conversation),
    exchangeKey: lostIn(conversation, asked)?.exchange.request.key,
  });
}

function lastWords({ ended, stderr }: Conversation): string {
  const lines = stderr.trim().split('\n').slice(-MAX_LINES).join('\n');
  return `${ended?.reason}${lines === '' ? '' : `; the last lines of its standard error:\n${lines}`}`;
}

const MAX_LINES = 5;
