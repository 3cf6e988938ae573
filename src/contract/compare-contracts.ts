import { sameJson } from '../json/json.ts';
import { CHANGE_KINDS, type Contract, type ContractChange } from '../model/contract.ts';

/**
 * What changed from a contract to a newer one, for a caller of the older one; the most important first. Of a list of
 * which not all pages were read, nothing is said to be missing. Pure.
 */
export function compareContracts(before: Contract, after: Contract): readonly ContractChange[] {
  const changes: ContractChange[] = [];
  const older = new Map(before.functions.map((one, index) => [one.name, { one, index }]));
  const newer = new Map(after.functions.map((one, index) => [one.name, { one, index }]));
  for (const [name, { index }] of older) {
    if (newer.has(name) || after.unread.includes('functions')) continue;
    changes.push({
      kind: 'breaking',
      of: 'function',
      name,
      pointer: `/functions/${index}`,
      message: 'it was removed',
    });
  }
  for (const [name, { one, index }] of newer) {
    const pointer = `/functions/${index}`;
    const known = older.get(name)?.one;
    if (known === undefined && !before.unread.includes('functions'))
      changes.push({ kind: 'additive', of: 'function', name, pointer, message: 'it was added' });
    if (known !== undefined && !sameJson({ ...known }, { ...one }))
      changes.push({ kind: 'unclear', of: 'function', name, pointer, message: 'it was changed' });
  }
  return changes.toSorted(
    (left, right) => CHANGE_KINDS.indexOf(left.kind) - CHANGE_KINDS.indexOf(right.kind),
  );
}
