import { type Behaviour, ENDPOINTS, type Find } from './behaviour.ts';

export const NOTHING_FOUND = 'clean';

export function inBrief(finds: readonly Find[]): string {
  const [first] = finds;
  if (first === undefined) return NOTHING_FOUND;
  const more = new Set(finds.map(({ row }) => row)).size - 1;
  return `${wordsFor(first)} ${first.row}${more > 0 ? ` and ${more} more` : ''}`;
}

export function wordsFor({ outcome, perhaps }: Find): string {
  return `${perhaps === true ? 'perhaps ' : ''}${outcome === 'failed' ? 'fails' : 'undecided'}`;
}

export function faultsOf({ finds }: Behaviour): string {
  const faults = ENDPOINTS.flatMap((endpoint) => finds[endpoint].map(({ fault }) => fault));
  return faults.length === 0 ? '–' : [...new Set(faults)].join(', ');
}
