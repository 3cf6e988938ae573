import { compareContracts } from '../contract/compare-contracts.ts';
import { definitionTokens } from '../contract/definition-tokens.ts';
import { contractIn, unreadOf } from '../contract/read-contract.ts';
import { PROFILES } from '../generated/portability.ts';
import type { ClientView } from '../model/client-view.ts';
import type { Exchange } from '../model/exchange.ts';
import type { RunSettings } from '../model/report.ts';
import { definitionsIn, fitOf } from '../portability/fit.ts';

/** What clients and models see of the server; null if the list of its functions was not read. */
export function clientViewOf(exchanges: readonly Exchange[], settings: RunSettings): ClientView | null {
  if (settings.directory !== undefined) return null;
  const contract = contractIn(exchanges);
  if (contract === null) return null;
  const definitions = definitionsIn(contract);
  const changes = settings.contract === undefined ? undefined : compareContracts(settings.contract, contract);
  const unread = settings.contract === undefined ? [] : unreadOf(settings.contract, contract);
  return {
    functions: contract.functions.length,
    tokens: definitionTokens(contract),
    portability: PROFILES.map((profile) =>
      fitOf(definitions, profile, settings.portable?.includes(profile.id) === true),
    ),
    ...(changes === undefined ? {} : { changes }),
    ...(unread.length === 0 ? {} : { unread }),
  };
}
