import { pointerSteps } from '../../model/json.ts';

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/gs;

/** Where the value of a JSON pointer is in the text; null if the text is not JSON or has no such value. Pure. */
export function pointedRange(text: string, pointer: string): readonly [start: number, end: number] | null {
  if (!isJson(text)) return null;
  const tokens = [...text.matchAll(TOKEN)].map((match): Token => {
    const [token] = match;
    return { text: token, start: match.index, end: match.index + token.length };
  });
  let at = 0;
  for (const step of pointerSteps(pointer)) {
    const inner = memberAt(tokens, at, step);
    if (inner === null) return null;
    at = inner;
  }
  const first = tokens[at];
  const last = tokens[afterValue(tokens, at) - 1];
  return first === undefined || last === undefined ? null : [first.start, last.end];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The token at which a member of an object or an item of a list begins. */
function memberAt(tokens: readonly Token[], start: number, step: string): number | null {
  const open = tokens[start]?.text;
  if (open !== '{' && open !== '[') return null;
  let at = start + 1;
  for (let index = 0; tokens[at] !== undefined && !/^[}\]]/.test(tokens[at]?.text ?? ''); index += 1) {
    const name = open === '[' ? String(index) : JSON.parse(tokens[at]?.text ?? '""');
    if (open === '{') at += 2;
    if (name === step) return at;
    at = afterValue(tokens, at);
    if (tokens[at]?.text === ',') at += 1;
  }
  return null;
}

function afterValue(tokens: readonly Token[], start: number): number {
  let depth = 0;
  let at = start;
  do {
    const text = tokens[at]?.text;
    if (text === '{' || text === '[') depth += 1;
    if (text === '}' || text === ']') depth -= 1;
    at += 1;
  } while (depth > 0 && at < tokens.length);
  return at;
}
