import { type Json, ownProperty, sameJson, showJson } from '../../json/json.ts';
import { type Answer, type Exchange, isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import type { Listed } from '../../model/request-template.ts';
import { callIn } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { entriesOn, LISTS, nextCursor, resultOf } from '../../wires/mcp/lists.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { describeAnswer, isServed } from '../json/answers.ts';
import { methodOf } from './received.ts';

// What holds for every list of a server: its tools, prompts, resources and templates.

export const listPages = defineCheck(
  'step',
  'list-pages',
  'every page of a list is answered, and the cursors lead to an end',
  ({ asked }) => {
    const seen = new Set<string>();
    for (const { exchange } of asked) {
      const exchangeKey = exchange.request.key;
      if (!isAnswer(exchange) || !isServed(exchange))
        return seen.size === 0
          ? inapplicable(`${methodOf(exchange)} was not answered with a result`)
          : failed({
              message: `${methodOf(exchange)} refuses a cursor that the server returned`,
              expected: 'the next page',
              received: isAnswer(exchange) ? describeAnswer(exchange) : exchange.reason.message,
              exchangeKey,
            });
      const cursor = nextCursor(exchange);
      if (cursor === undefined) continue;
      const place = { received: showJson(cursor), pointer: '/result/nextCursor', exchangeKey };
      if (typeof cursor !== 'string')
        return failed({
          message: 'nextCursor is not a string',
          expected: 'a string, or no nextCursor',
          ...place,
        });
      if (seen.has(cursor))
        return failed({
          message: 'two pages have the same nextCursor, so the list never ends',
          expected: 'a new cursor on each page, and none on the last',
          ...place,
        });
      seen.add(cursor);
    }
    const last = asked.at(-1)?.exchange;
    if (last === undefined) return inapplicable('the list was not read');
    const isCut = isAnswer(last) && nextCursor(last) !== undefined;
    return isCut
      ? failed({
          message: `${methodOf(last)} does not end`,
          expected: 'a last page without nextCursor',
          received: `${asked.length} pages, and a cursor for another one`,
          pointer: '/result/nextCursor',
          exchangeKey: last.request.key,
        })
      : passed;
  },
);

export const unknownCursor = defineCheck(
  'step',
  'unknown-cursor',
  'a cursor that the server did not return is refused with the error -32602',
  ({ used }) => {
    const isPaged = (used.pages ?? []).some(({ exchange }) => nextCursor(exchange) !== undefined);
    if (!isPaged) return inapplicable('the list has one page');
    const [unknown] = used.unknown ?? [];
    if (unknown === undefined || !isAnswer(unknown.exchange)) return inapplicable('it was not answered');
    const message = answeringMessage(unknown.exchange)?.message;
    if (message?.kind === 'error' && message.code === -32_602) return passed;
    return failed({
      message: 'the server does not refuse an unknown cursor with the error -32602',
      expected: 'the error -32602',
      received: describeAnswer(unknown.exchange),
      exchangeKey: unknown.exchange.request.key,
    });
  },
);

export const cacheScopes = defineCheck(
  'step',
  'cache-scopes',
  'all pages of a list have the same cacheScope',
  ({ asked }) => {
    const pages = asked.flatMap(({ exchange }) => {
      const scope = isAnswer(exchange) ? ownProperty(resultOf(exchange), 'cacheScope') : undefined;
      return scope === undefined ? [] : [{ scope, exchangeKey: exchange.request.key }];
    });
    const [first, ...others] = pages;
    if (first === undefined || others.length === 0) return inapplicable('the list has one page');
    return judgeEach(others, ({ scope, exchangeKey }) =>
      scope === first.scope
        ? passed
        : failed({
            message: 'the pages of a list have different cacheScopes',
            expected: `${JSON.stringify(first.scope)}, as on the first page`,
            received: showJson(scope),
            pointer: '/result/cacheScope',
            exchangeKey,
          }),
    );
  },
);

export const listStable = defineCheck(
  'step',
  'list-stable',
  'two reads of a list have the same entries; with `order`, in the same order',
  ({ used, options, exchanges }) => {
    const listed = listedNamed(options.of);
    const [first, again] = [(used.first ?? [])[0], (used.again ?? [])[0]];
    if (first === undefined || again === undefined) return inapplicable('the list was not read twice');
    const [before, after] = [namesOn(first.exchange, listed), namesOn(again.exchange, listed)];
    const { method, member } = LISTS[listed];
    const what = member === 'resourceTemplates' ? 'templates' : member;
    if (before.length === 0) return inapplicable(`the server lists no ${what}`);
    const isOrdered = options.order === true;
    const isSameSet = sameJson(before.toSorted(), after.toSorted());
    if (isOrdered && !isSameSet) return inapplicable(`the lists have different ${what}`);
    if (isOrdered ? sameJson(before, after) : isSameSet) return passed;
    // What a tool creates may be listed, too: then everybody's list has changed, and not that of a connection.
    if (listed !== 'functions' && wasChangedBetween(first.exchange, again.exchange, exchanges))
      return inapplicable(`a tool that may change things was called between two reads of ${method}`);
    return failed({
      message: `two reads of ${method} have ${isOrdered ? 'another order' : `different ${what}`}`,
      expected: before.join(', '),
      received: after.join(', '),
      exchangeKey: again.exchange.request.key,
    });
  },
  {
    options: {
      of: { doc: 'functions, prompts, resources or templates; functions by default.', required: false },
      order: { doc: 'true: also the order counts.', required: false },
    },
  },
);

/** Whether a tool that does not say that it only reads gave a result between the starts of two requests. */
function wasChangedBetween(first: Answer, again: Answer, exchanges: readonly Exchange[]): boolean {
  const answers = exchanges.filter(isAnswer);
  const reading = answers
    .flatMap((answer) => entriesOn(answer, 'functions'))
    .filter(({ entry }) => ownProperty(ownProperty(entry, 'annotations'), 'readOnlyHint') === true)
    .map(({ entry }) => ownProperty(entry, 'name'));
  return answers.some((answer) => {
    const name = callIn(answer.request)?.functionName;
    const { startedAtMs } = answer.timing;
    const isBetween = startedAtMs >= first.timing.startedAtMs && startedAtMs <= again.timing.startedAtMs;
    return name !== undefined && isBetween && !reading.includes(name) && isServed(answer);
  });
}

function listedNamed(name: Json | undefined): Listed {
  return typeof name === 'string' && Object.hasOwn(LISTS, name) ? (name as Listed) : 'functions';
}

/** What clients know an entry by. */
function namesOn(answer: Answer, listed: Listed): readonly string[] {
  const key = { functions: 'name', prompts: 'name', resources: 'uri', templates: 'uriTemplate' }[listed];
  return entriesOn(answer, listed).map(({ entry }) => String(ownProperty(entry, key)));
}
