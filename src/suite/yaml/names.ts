// How steps, variables, assertions, requirements and revisions are called in every language.
import { oneOf, text } from './shape.ts';

export const id = text({
  pattern: /^[a-z][a-z0-9-]*$/,
  words: 'an id of lower-case letters, digits and hyphens',
});

export const variable = text({
  pattern: /^[a-z][A-Za-z0-9]*$/,
  words: 'a name of letters and digits that starts with a lower-case letter',
});

export const stepReference = text({
  pattern: /^([a-z][a-z0-9-]*\/)?[a-z][a-z0-9-]*$/,
  words: 'a step id such as "read" or "capabilities/read"',
});

/** Stands for all other steps under `use`. */
export const EVERY_STEP = '*';

export const usedStep = text({
  pattern: /^(\*|([a-z][a-z0-9-]*\/)?[a-z][a-z0-9-]*)$/,
  words: 'a step id such as "read" or "capabilities/read", or "*" for all other steps',
});

/** The id of a requirement: its area and its name. */
export const REQUIREMENT_ID = /^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/;

export const level = oneOf(['MUST', 'SHOULD', 'MAY']);

export const revision = text({
  pattern: /^\d{4}-\d{2}-\d{2}$/,
  words: 'a revision of the protocol such as 2025-06-18',
});
