import { canonicalJson } from '../json/json.ts';
import type { DefinitionTokens, TokenCounts } from '../model/client-view.ts';
import type { Contract, ContractFunction } from '../model/contract.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** An estimate of the tokens that the definitions of a contract cost in each conversation. Pure. */
export function definitionTokens({ functions }: Contract): DefinitionTokens {
  const counted = functions
    .map((one) => ({ function: one.name, ...tokensOf(one) }))
    .toSorted((left, right) => right.total - left.total);
  return { isEstimate: true, ...sumOf(counted), functions: counted };
}

/**
 * A definition as clients send it to the provider of a model. Title, annotations and output schema stay with the client;
 * only without a description, some send the title (docs/definition-tokens.md).
 */
export function clientDefinition({ name, title, description, input }: ContractFunction): string {
  return canonicalJson({
    name,
    description: description ?? title ?? '',
    ...(input === null ? {} : { input_schema: input }),
  });
}

/** The total is that of the whole definition: more than its parts, by what joins them. */
function tokensOf(one: ContractFunction): TokenCounts {
  const { name, title, description, input } = one;
  return {
    name: estimateTokens(name),
    texts: estimateTokens(description ?? title ?? ''),
    schemas: input === null ? 0 : estimateTokens(canonicalJson(input)),
    total: estimateTokens(clientDefinition(one)),
  };
}

function sumOf(counted: readonly TokenCounts[]): TokenCounts {
  const sum = (of: (one: TokenCounts) => number) => counted.reduce((total, one) => total + of(one), 0);
  return {
    name: sum(({ name }) => name),
    texts: sum(({ texts }) => texts),
    schemas: sum(({ schemas }) => schemas),
    total: sum(({ total }) => total),
  };
}
