import { canonicalJson } from '../../json/json.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { markIn } from '../../text/mark.ts';
import { type Asked, defineCheck } from '../define-check.ts';
import { essenceOf } from '../execute/answer-essence.ts';
import { describeAnswer, isServed, statusOf } from '../json/answers.ts';

/** The calls that two users make with what each of them created, in their order. */
export type IdentityCase =
  | 'own-creates'
  | 'own-reads'
  | 'other-creates'
  | 'other-reads-own'
  | 'other-reads'
  | 'own-reads-still'
  | 'other-removes'
  | 'own-reads-again'
  | 'other-tidies';

/** `number`: of the function that creates something. */
export function identityCase(number: number, name: IdentityCase): string {
  return `identity-${number}-${name}`;
}

const NUMBER = /^identity-(\d+)-/;

export const identitiesApart = defineCheck(
  'step',
  'identities-apart',
  'another user can neither read nor delete what the first one created',
  ({ asked }): Finding | readonly Finding[] => {
    const numbers = new Set(asked.flatMap(({ caseId }) => NUMBER.exec(caseId ?? '')?.[1] ?? []));
    const findings = [...numbers].map((number) => judgeCreator(Number(number), asked));
    const open = findings.filter(({ outcome }) => outcome === 'failed');
    if (open.length > 0) return open;
    return (
      findings.find(({ outcome }) => outcome === 'passed') ??
      findings.find(({ outcome }) => outcome === 'undecided') ??
      inapplicable('nothing that a function of this run creates can be read again')
    );
  },
);

function judgeCreator(number: number, asked: readonly Asked[]): Finding {
  const of = (name: IdentityCase): Asked | undefined =>
    asked.find(({ caseId }) => caseId === identityCase(number, name));
  const [creates, reads] = [of('own-creates'), of('own-reads')];
  const mark = markIn(creates?.call?.input ?? {});
  // An id that is made of the text would be in every answer about it.
  const isInId = mark !== null && canonicalJson(reads?.call?.input ?? null).includes(mark);
  if (reads === undefined || mark === null || isInId || !shows(reads.exchange, mark))
    return inapplicable('no function shows what another one created');
  const name = creates?.call?.functionName ?? '';
  const proof = of('other-reads-own') ?? of('other-creates');
  if (proof === undefined || of('other-reads-own') === undefined || !isServedAnswer(proof.exchange))
    return undecided({
      because: 'turned-away',
      message: `the other user cannot use "${name}", so that nothing shows whether users are kept apart`,
      expected: 'a result for what that user creates',
      received: proof === undefined ? 'no call' : wordsOf(proof.exchange),
      exchangeKey: proof?.exchange.request.key,
      advice: 'Give with --other-bearer-env the token of a user who may use the same functions.',
    });
  const read = of('other-reads');
  if (read !== undefined && shows(read.exchange, mark))
    return failed({
      message: `another user reads what "${name}" created with "${reads.call?.functionName}"`,
      expected: 'a refusal, or an answer without what the first user sent',
      received: `an answer with ${JSON.stringify(mark)}`,
      exchangeKey: read.exchange.request.key,
    });
  const [removal, again] = [of('other-removes'), of('own-reads-again')];
  if (removal === undefined || again === undefined || !isServedAnswer(removal.exchange)) return passed;
  const still = of('own-reads-still');
  if (still !== undefined && !shows(still.exchange, mark)) return passed;
  if (!isAnswer(again.exchange) || shows(again.exchange, mark)) return passed;
  // A rate limiter, or a server in trouble.
  const status = statusOf(again.exchange);
  if (status === TOO_MANY_REQUESTS || (status ?? 0) >= 500) return passed;
  return failed({
    message: `another user deletes what "${name}" created with "${removal.call?.functionName}"`,
    expected: 'a refusal, and the same as before for the first user',
    received: `${wordsOf(again.exchange)} when the first user reads it again`,
    exchangeKey: removal.exchange.request.key,
  });
}

function isServedAnswer(exchange: Exchange): boolean {
  return isAnswer(exchange) && isServed(exchange);
}

function shows(exchange: Exchange, mark: string): boolean {
  if (!isAnswer(exchange) || !isServed(exchange)) return false;
  return canonicalJson(essenceOf(exchange) ?? null).includes(mark);
}

function wordsOf(exchange: Exchange): string {
  return isAnswer(exchange) ? describeAnswer(exchange) : exchange.reason.message;
}
