/**
 * Counts what a backtracking engine tries at most: a matcher of the plainest kind, without a single shortcut. It knows the
 * parts of regular expressions that our patterns use, and throws at any other.
 */
export function stepsToSearch(pattern: RegExp, text: string): number {
  const counter = { steps: 0 };
  const match = parserOf(pattern.source, counter).whole();
  // A pattern that is anchored as a whole can match nowhere else.
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

/** Whether it matches from a place on, and what follows it does too. */
type Matcher = (text: string, at: number, then: (at: number) => boolean) => boolean;

function parserOf(source: string, counter: { steps: number }) {
  let at = 0;

  const peek = (token: string): boolean => source.startsWith(token, at);
  const take = (token: string): boolean => {
    if (!peek(token)) return false;
    at += token.length;
    return true;
  };

  /** One character that fits what stands in the pattern, itself or a class. */
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
    if (!take(')')) throw new Error(`a group is left open in ${source}`);
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
    if (peek('(?')) throw new Error(`what is ${source.slice(at, at + 4)} in ${source}?`);
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
    const least0 = written === '+' ? 1 : Number(exact ?? least ?? 0);
    const bound = written === '?' ? '1' : (exact ?? most ?? '');
    const most0 = bound === '' ? Number.POSITIVE_INFINITY : Number(bound);
    const times =
      (count: number): Matcher =>
      (text, position, then) =>
        (count < most0 &&
          inner(text, position, (next) => next > position && times(count + 1)(text, next, then))) ||
        (count >= least0 && then(position));
    return times(0);
  };

  return {
    whole: (): Matcher => {
      const all = choice();
      if (at < source.length) throw new Error(`${source.slice(at)} is left over of ${source}`);
      return all;
    },
  };
}
