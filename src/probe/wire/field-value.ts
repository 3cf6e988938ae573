/**
 * The value of a header without surrounding spaces and tabs (RFC 9112, section 5). Not a regular expression: one for
 * trailing spaces is tried at every space, and 60 KB of spaces would block for seconds.
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
