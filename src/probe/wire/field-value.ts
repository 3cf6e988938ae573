/**
 * The value of a header without the blanks and tabs around it (RFC 9112, section 5). By hand: a pattern for those at the
 * end is tried at each blank within, and sixty kilobytes of them would hold everything up for seconds.
 */
export function trimmedValue(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}
