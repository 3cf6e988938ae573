// A realistic mix of searches: people mostly repeat popular ones, and programs page through filters.

/** Distinct popular searches; the n-th most popular one is requested 1/n as often as the first (Zipf). */
const POPULAR = 500;
/** The share of searches that nobody else requests: rare words, several words, words with filters, and later pages. */
const RARE = 0.15;

export const MIX = `${100 * (1 - RARE)} % of ${POPULAR} popular searches by Zipf's law, ${100 * RARE} % that hardly repeat`;

/** Returns a function that picks the next search. A source returns numbers from 0 to 1: one for the popular searches, one for the picks. */
export function searchMix(popularSource, source) {
  let random = popularSource;
  const below = (count) => Math.floor(count * random());
  const word = () => (random() < 0.3 ? `common${below(40)}` : `word${below(20_000)}`);
  const kinds = {
    word: () => `q=${word()}`,
    words: () => `q=${word()}+${word()}`,
    category: () => `category=category+${below(30)}`,
    tag: () => `tags=tag${below(400)}`,
    tags: () => `tags=tag${below(60)},tag${below(60)}`,
    figures: () => `minUptime=${90 + below(10)}&maxResponseTime=${50 * (1 + below(9))}`,
    flags: () => `audited=true&openSource=${random() < 0.5}`,
    all: () => `q=${word()}&transport=http&minUptime=${90 + below(10)}&category=category+${below(30)}`,
  };
  const popularKinds = [
    'word',
    'word',
    'word',
    'category',
    'category',
    'tag',
    'tag',
    'flags',
    'figures',
    'words',
  ];
  const rareKinds = ['word', 'word', 'words', 'words', 'all', 'all', 'tags', 'tag'];
  const one = (of) => of[below(of.length)];
  const popular = Array.from({ length: POPULAR }, (_, index) =>
    index === 0
      ? ''
      : `${kinds[one(popularKinds)]()}${random() < 0.1 ? `&offset=${20 * (1 + below(4))}` : ''}`,
  );
  random = source;
  const sums = [];
  for (let rank = 1; rank <= POPULAR; rank += 1) sums.push((sums.at(-1) ?? 0) + 1 / rank);
  return () => {
    if (random() < RARE) return `${kinds[one(rareKinds)]()}&limit=${10 + below(21)}&offset=${below(5)}`;
    const at = random() * sums.at(-1);
    return popular[sums.findIndex((sum) => at < sum)];
  };
}
