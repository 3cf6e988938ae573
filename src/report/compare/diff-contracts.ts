import { compareContracts } from '../../contract/compare-contracts.ts';
import { unreadOf } from '../../contract/read-contract.ts';
import type { Contract, ContractChange } from '../../model/contract.ts';

type Side = Pick<Contract, 'wire' | 'server' | 'revision'>;

/** Two contracts of a server, for a caller of the older one. */
export interface ContractDiff {
  readonly before: Side;
  readonly after: Side;
  /** A call that was right may fail, or a result may not be what was promised. */
  readonly isBreaking: boolean;
  readonly changes: readonly ContractChange[];
  /** Lists of which not all pages were read: what they lack is not known. */
  readonly unread: Contract['unread'];
}

export function diffContracts(before: Contract, after: Contract): ContractDiff {
  const changes = compareContracts(before, after);
  const isBreaking = changes.some(({ kind }) => kind === 'breaking');
  const unread = unreadOf(before, after);
  return { before: sideOf(before), after: sideOf(after), isBreaking, changes, unread };
}

function sideOf({ wire, server, revision }: Contract): Side {
  return { wire, server, ...(revision === undefined ? {} : { revision }) };
}
