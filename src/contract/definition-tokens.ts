import { canonicalJson, type Json } from '../json/json.ts';
import type { DefinitionTokens, TokenCounts } from '../model/client-view.ts';
import type { Contract, ContractFunction } from '../model/contract.ts';

/** Of English text and JSON, which is what definitions are. */
const CHARACTERS_PER_TOKEN = 4;

/** An estimate of the tokens that the definitions of a contract cost in each conversation. Pure. */
export function definitionTokens({ functions }: Contract): DefinitionTokens {
  const counted = functions
    .map((one) => ({ function: one.name, ...tokensOf(one) }))
    .toSorted((left, right) => right.total - left.total);
  return { isEstimate: true, ...sumOf(counted), functions: counted };
}

function tokensOf({ name, title, description, input, output }: ContractFunction): TokenCounts {
  const counts = {
    name: tokensIn(name),
    texts: tokensIn([title, description].join(' ').trim()),
    schemas: tokensOfSchema(input) + tokensOfSchema(output),
  };
  return { ...counts, total: counts.name + counts.texts + counts.schemas };
}

function tokensOfSchema(schema: Json): number {
  return schema === null ? 0 : tokensIn(canonicalJson(schema));
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
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
