import { countIn, searchPage } from '../checks/directory/search-page.ts';
import { chosen, noneFits, type Picker } from './define-picker.ts';

/** So many pages are walked through; of a larger directory the others are left out evenly. */
const MAX_PAGES = 20;
/** So that a small directory shows how its pages follow one another. */
const FEWEST_PAGES = 3;

/** The pages of a walk, from the first page that was read with the largest limit. */
export const pages: Picker = ({ answers }) => {
  const page = searchPage(answers[0]?.value);
  if (page === null)
    return noneFits(
      'the first page was not read',
      'a page of search results',
      'none',
      'Mend the search first.',
    );
  const held = page.servers.length;
  const total = Math.max(countIn(page, 'total') ?? held, held);
  const limit = Math.max(1, Math.min(held, Math.ceil(total / FEWEST_PAGES)));
  const count = Math.max(1, Math.ceil(total / limit));
  return chosen(pageNumbers(count).map((number) => ({ offset: number * limit, limit })));
};

/** Evenly from the first to the last. */
function pageNumbers(count: number): readonly number[] {
  const most = Math.min(count, MAX_PAGES);
  return Array.from({ length: most }, (_, index) =>
    most === 1 ? 0 : Math.round((index * (count - 1)) / (most - 1)),
  );
}

/** An offset behind the last record. */
export const offsetBeyond: Picker = ({ answers }) => {
  const page = searchPage(answers[0]?.value);
  const total = page === null ? null : countIn(page, 'total');
  return chosen((total ?? 0) + BEYOND);
};

const BEYOND = 1000;
