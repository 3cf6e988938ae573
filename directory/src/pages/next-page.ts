const OWN_PAGE = /^\/(servers\/[A-Za-z0-9][A-Za-z0-9._-]{0,63})?(\?[!-~]*)?$/;
const MAX_CHARACTERS = 2000;

/** The page to open after signing in. Anything but a page of the directory becomes the search page. Pure. */
export function nextPage(given: string | null): string {
  return given !== null && given.length <= MAX_CHARACTERS && OWN_PAGE.test(given) ? given : '/';
}
