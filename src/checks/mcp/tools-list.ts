import { isAnswer } from '../../model/exchange.ts';
import { canonicalJson, type Json, ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { nextCursor, toolsOn } from '../../wires/mcp/tools.ts';
import { describeAnswer } from '../answers.ts';
import { defineCheck, type JsonAnswer } from '../define-check.ts';

export const toolsAnnounced = defineCheck(
  'json',
  'tools-announced',
  'a server that lists tools has the capability tools',
  ({ exchange, opened }) => {
    if (opened === null || toolsOn(exchange).length === 0) return inapplicable('the server lists no tools');
    if (Object.hasOwn(opened.capabilities, 'tools')) return passed;
    return failed({
      message: 'the server lists tools, but not the capability tools when a conversation is opened',
      expected: 'tools in capabilities',
      received: canonicalJson(opened.capabilities),
      pointer: '/result/tools',
    });
  },
);

export const unknownCursor = defineCheck(
  'step',
  'unknown-cursor',
  'a cursor that the server did not return is refused with the error -32602',
  ({ used }) => {
    const isPaged = (used.pages ?? []).some(({ exchange }) => nextCursor(exchange) !== undefined);
    if (!isPaged) return inapplicable('the list of tools has one page');
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

export const toolsStable = defineCheck(
  'step',
  'tools-stable',
  'two reads of tools/list have the same tools; with `order`, in the same order',
  ({ used, options }) => {
    const [first, again] = [(used.first ?? [])[0], (used.again ?? [])[0]];
    if (first === undefined || again === undefined) return inapplicable('the list was not read twice');
    const [before, after] = [namesIn(first), namesIn(again)];
    if (before.length === 0) return inapplicable('the server lists no tools');
    const isSameSet = canonicalJson(before.toSorted()) === canonicalJson(after.toSorted());
    if (options.order === true && !isSameSet) return inapplicable('the lists have different tools');
    if (options.order === true ? canonicalJson(before) === canonicalJson(after) : isSameSet) return passed;
    return failed({
      message:
        options.order === true
          ? 'two reads of tools/list have another order'
          : 'two reads of tools/list have different tools',
      expected: before.join(', '),
      received: after.join(', '),
      exchangeKey: again.exchange.request.key,
    });
  },
  { options: { order: { doc: 'true: also the order counts.', required: false } } },
);

function namesIn({ exchange }: JsonAnswer): readonly string[] {
  return toolsOn(exchange).map(({ tool }: { readonly tool: Json }) => String(ownProperty(tool, 'name')));
}
