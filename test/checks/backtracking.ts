/**
 * Counts the steps of a simple backtracking matcher without optimisations, as an upper bound for real engines. It
 * supports the syntax that the patterns of the harness use, and throws at any other.
 */
export function stepsToSearch(pattern: RegExp, text: string): number {
  const counter = { steps: 0 };
  const match = parserOf(pattern.source, counter).whole();
  // A pattern that begins with ^ can match only at the start.
  const lastStart = /^\^[^|]*$/.test(
    pattern.source.replaceAll(/\((?:[^()\\]|\\.)*\)|\[(?:[^\]\\]|\\.)*\]/g, ''),
  )
    ? 0
    : text.length;
  for (let start = 0; start <= lastStart; start += 1) {
    if (match(text, start, () => true)) break;
  }
  return counter.steps;
}

/** Whether the part matches at a position, and the rest of the pattern after it. */
type Matcher = (text: string, at: number, then: (at: number) => boolean) => boolean;

function parserOf(source: string, counter: { steps: number }) {
  let at = 0;

  const peek = (token: string): boolean => source.startsWith(token, at);
  const take = (token: string): boolean => {
    if (!peek(token)) return false;
    at += token.length;
    return true;
  };

  /** Matches one character, by a literal or a class of the pattern. */
  const character = (written: string): Matcher => {
    const fits = new RegExp(`^${written}$`, 's');
    return (text, position, then) => {
      counter.steps += 1;
      return position < text.length && fits.test(text[position] as string) && then(position + 1);
    };
  };

  const choice = (): Matcher => {
    const branches = [sequence()];
    while (take('|')) branches.push(sequence());
    return (text, position, then) => branches.some((branch) => branch(text, position, then));
  };

  const sequence = (): Matcher => {
    const parts: Matcher[] = [];
    while (at < source.length && !peek('|') && !peek(')')) parts.push(repeated(atom()));
    const from =
      (index: number): Matcher =>
      (text, position, then) => {
        const part = parts[index];
        return part === undefined
          ? then(position)
          : part(text, position, (next) => from(index + 1)(text, next, then));
      };
    return from(0);
  };

  const group = (): Matcher => {
    const inner = choice();
    if (!take(')')) throw new Error(`unclosed group in ${source}`);
    return inner;
  };

  const atom = (): Matcher => {
    if (take('^')) return (_text, position, then) => position === 0 && then(position);
    if (take('$')) return (text, position, then) => position === text.length && then(position);
    if (take('(?:')) return group();
    if (take('(?!')) {
      const inner = group();
      return (text, position, then) => !inner(text, position, () => true) && then(position);
    }
    if (peek('(?')) throw new Error(`unsupported group ${source.slice(at, at + 4)} in ${source}`);
    if (take('(')) return group();
    const [written = ''] = /^(?:\[(?:\\.|[^\]\\])*\]|\\.|[^\\])/s.exec(source.slice(at)) ?? [];
    at += written.length;
    return character(written);
  };

  const repeated = (inner: Matcher): Matcher => {
    const [written = '', exact, least, most] =
      /^(?:\{(\d+)\}|\{(\d+),(\d*)\}|[?*+])/.exec(source.slice(at)) ?? [];
    if (written === '') return inner;
    at += written.length;
    const min = written === '+' ? 1 : Number(exact ?? least ?? 0);
    const bound = written === '?' ? '1' : (exact ?? most ?? '');
    const max = bound === '' ? Number.POSITIVE_INFINITY : Number(bound);
    const times =
      (count: number): Matcher =>
      (text, position, then) =>
        (count < max &&
          inner(text, position, (next) => next > position && times(count + 1)(text, next, then))) ||
        (count >= min && then(position));
    return times(0);
  };

  return {
    whole: (): Matcher => {
      const all = choice();
      if (at < source.length) throw new Error(`unsupported syntax ${source.slice(at)} in ${source}`);
      return all;
    },
  };
}
