import { compareContracts } from '../contract/compare-contracts.ts';
import { definitionTokens } from '../contract/definition-tokens.ts';
import { contractIn } from '../contract/read-contract.ts';
import type { ClientView } from '../model/client-view.ts';
import type { Exchange } from '../model/exchange.ts';
import type { RunSettings } from '../model/report.ts';

/** What clients and models see of the server; null if the list of its functions was not read. */
export function clientViewOf(exchanges: readonly Exchange[], settings: RunSettings): ClientView | null {
  if (settings.directory !== undefined) return null;
  const contract = contractIn(exchanges);
  if (contract === null) return null;
  const changes = settings.contract === undefined ? undefined : compareContracts(settings.contract, contract);
  return {
    functions: contract.functions.length,
    tokens: definitionTokens(contract),
    portability: [],
    ...(changes === undefined ? {} : { changes }),
  };
}
