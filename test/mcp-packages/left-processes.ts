import { readdirSync, readFileSync } from 'node:fs';

/**
 * The ids of the running processes whose environment has this HOME. Every process that a server starts inherits it,
 * also one that left its group.
 */
export function processesWithHome(home: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => environmentOf(id).includes(`HOME=${home}`));
}

function environmentOf(id: number): readonly string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0');
  } catch {
    // It has ended, or is of another user.
    return [];
  }
}
