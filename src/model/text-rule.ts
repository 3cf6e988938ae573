/**
 * Where a text stands. `name`: of a tool, prompt, resource or parameter. `text`: what describes one of these.
 * `instructions`: what the server tells the model about itself. `value`: in a schema, a default, an example or an allowed
 * value. `error` and `result`: what calls returned. `prompt`: a message of a prompt.
 */
export const TEXT_PLACES = ['name', 'text', 'instructions', 'value', 'error', 'result', 'prompt'] as const;
export type TextPlace = (typeof TEXT_PLACES)[number];

/**
 * How a match of the pattern is judged. `pattern`: each counts. `secret`: unless it is a placeholder or an example.
 * `other-tool`: if its first group is no tool, prompt or parameter of the server. `look-alike`: names are compared.
 */
export type TextRule = PatternRule | LookAlikeRule;

interface AnyTextRule {
  readonly id: string;
  /** What is wrong with the text, after its place: `has tag characters`. */
  readonly says: string;
  readonly why: string;
}

export interface PatternRule extends AnyTextRule {
  readonly kind: 'pattern' | 'secret' | 'other-tool';
  readonly in: readonly TextPlace[];
  /** A regular expression in which each repetition is bounded, so that a search takes time in proportion to the text. */
  readonly pattern: string;
  /**
   * In lower case: a match has one word of each set of one of these alternatives. The build derives them from the pattern.
   */
  readonly words?: readonly (readonly (readonly string[])[])[];
  /**
   * A match has a character that is neither printed in ASCII nor a tab or an end of a line. The build derives it from the
   * pattern.
   */
  readonly isBeyondPlain?: true;
  readonly caseSensitive?: true;
  /** Patterns for what excuses a match: in it, in the characters just before it, or anywhere in the text. */
  readonly unless?: string;
  readonly unlessBefore?: string;
  readonly unlessText?: string;
  /** Judged only of servers over HTTP: a server over standard streams runs on the user's machine. */
  readonly onlyOverHttp?: true;
}

export interface LookAlikeRule extends AnyTextRule {
  readonly kind: 'look-alike';
  /** Each text lists characters that look like its first one, or count like it; a lone character does not count. */
  readonly alike: readonly string[];
  readonly ignoresCase: boolean;
}

/** The rules about one subject, which one requirement asks for (suites/texts). */
export interface TextSubject {
  readonly subject: string;
  readonly title: string;
  /** What a text without a finding is. */
  readonly expected: string;
  readonly rules: readonly TextRule[];
}
