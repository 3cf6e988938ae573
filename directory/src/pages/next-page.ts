const OWN_PAGE = /^\/(servers\/[A-Za-z0-9][A-Za-z0-9._-]{0,63})?(\?[!-~]*)?$/;
const MAX_CHARACTERS = 2000;

/** Where to go on after signing in: one of our own pages, and nothing else whatever was given. Pure. */
export function nextPage(given: string | null): string {
  return given !== null && given.length <= MAX_CHARACTERS && OWN_PAGE.test(given) ? given : '/';
}
