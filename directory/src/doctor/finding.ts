// The folder `doctor` examines a directory and the machine it runs on, for its operator. It changes nothing.

/** What one examination found. */
export interface Finding {
  /** What was examined, in a word or two. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do; null: nothing. */
  readonly remedy: string | null;
}

export function ok(check: string, text: string): Finding {
  return { check, state: 'ok', text, remedy: null };
}

export function warning(check: string, text: string, remedy: string): Finding {
  return { check, state: 'warning', text, remedy };
}

export function problem(check: string, text: string, remedy: string): Finding {
  return { check, state: 'problem', text, remedy };
}
