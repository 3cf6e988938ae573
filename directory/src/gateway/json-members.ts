const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * The members of a JSON object as text; for a duplicate key, the last one. Text keeps the numbers that JSON.parse would
 * round. The argument must be the text of one valid JSON object. Pure.
 */
export function memberTexts(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let start = 0;
  let key: string | null = null;
  const endMember = (end: number): void => {
    if (key !== null) members.set(key, json.slice(start, end).trim());
    key = null;
    start = end + 1;
  };
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(json, at);
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (CLOSING.has(code)) {
      depth -= 1;
      if (depth === 0) endMember(at);
    } else if (depth === 1 && code === COLON) {
      key = JSON.parse(json.slice(start, at)) as string;
      start = at + 1;
    } else if (depth === 1 && code === COMMA) endMember(at);
  }
  return members;
}

function closingQuote(json: string, opening: number): number {
  let at = opening + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
