import { distance } from 'fastest-levenshtein';

const MIN_BEGINNING = 4;

/** The known name that was probably meant, if one is similar enough. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  // Two edits can turn almost any short name into any other.
  const limit = name.length < MIN_BEGINNING ? 1 : Math.max(2, Math.floor(name.length / 3));
  const ranked = [...known]
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.edits - right.edits);
  const best = ranked[0];
  if (best !== undefined && best.edits <= limit) return best.candidate;
  const beginning = name.toLowerCase();
  return beginning.length < MIN_BEGINNING
    ? undefined
    : ranked.find(({ candidate }) => candidate.toLowerCase().startsWith(beginning))?.candidate;
}
