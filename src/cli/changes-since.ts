import type { TestResult } from '../model/report.ts';

/** Requirements whose outcome is another than in the result before, one line each. Pure. */
export function changesSince(before: TestResult, now: TestResult): readonly string[] {
  const earlier = new Map(before.results.map(({ id, outcome }) => [id, outcome]));
  const later = new Map(now.results.map(({ id, outcome }) => [id, outcome]));
  const ids = [...new Set([...later.keys(), ...earlier.keys()])];
  return ids.flatMap((id) => {
    const [from, to] = [earlier.get(id), later.get(id)];
    return from === to ? [] : [`${id}: ${from ?? 'not decided'}, now ${to ?? 'not decided'}`];
  });
}
