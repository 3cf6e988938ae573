import { shorten } from '../../model/json.ts';
import { visible } from '../../report/visible.ts';

const MOST_CHARACTERS = 2000;

/** What a stranger says of a server, made visible and cut to a length that a page can bear. Pure. */
export function visibleText(text: string): string {
  return visible(shorten(text, MOST_CHARACTERS));
}
