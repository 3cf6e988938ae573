import { definitionTokens } from '../../contract/definition-tokens.ts';
import { contractIn } from '../../contract/read-contract.ts';
import type { DefinitionTokens } from '../../model/client-view.ts';
import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

export const definitionTokensCheck = defineCheck(
  'step',
  'definition-tokens',
  'the definitions of all functions together cost no more tokens, estimated, than the user allows',
  ({ asked, exchanges, demands }) => {
    const limit = demands.maxDefinitionTokens;
    const contract = contractIn(exchanges);
    if (limit === undefined) return inapplicable('no limit is given');
    if (contract === null) return inapplicable('the list of functions was not read');
    const tokens = definitionTokens(contract);
    const exchangeKey = asked[0]?.exchange.request.key;
    if (tokens.total > limit)
      return failed({
        message: `the definitions cost about ${tokens.total} tokens in each conversation, ${dominating(tokens)}`,
        expected: `up to ${limit} tokens`,
        received: `about ${tokens.total} tokens for ${counted(contract.functions.length, 'function')}: ${shares(tokens)}`,
        exchangeKey,
      });
    if (!contract.unread.includes('functions')) return passed;
    return undecided({
      message: 'not all pages of the list of functions were read',
      expected: `up to ${limit} tokens for all of them`,
      received: `about ${tokens.total} tokens for ${counted(contract.functions.length, 'function')}`,
    });
  },
  { isDemanded: (_options, { maxDefinitionTokens }) => maxDefinitionTokens !== undefined },
);

const MOST_EXPENSIVE = 3;

/** What costs most: a few functions, and of these the texts or the schemas. */
function dominating({ functions, total }: DefinitionTokens): string {
  const first = functions.slice(0, MOST_EXPENSIVE);
  const names = first.map((one) => `"${one.function}" (${percent(one.total, total)})`);
  return `most for ${names.join(', ')}`;
}

function shares({ texts, schemas, total }: DefinitionTokens): string {
  return `${percent(texts, total)} in descriptions, ${percent(schemas, total)} in schemas of inputs`;
}

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
