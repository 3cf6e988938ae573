/** A value that must not be stored, with the shell variable that replaces it. */
export interface Secret {
  readonly value: string;
  /** Without the dollar sign: `PROBITY_TOKEN`. */
  readonly variable: string;
}
