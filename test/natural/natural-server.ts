import type { Form } from '../../src/model/requirement.ts';

export type Members = Record<string, unknown>;

/** A function as its author describes and writes it, once for both wire forms. */
export interface NaturalFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: Members;
  readonly returns: Members;
  readonly examples?: readonly Members[];
  /** Returns the named results. Throws a `Refused` for what the caller can correct, anything else for a failure. */
  run(input: never): Members | Promise<Members>;
}

/** What a caller can correct: an id that does not exist, a name that is taken. */
export class Refused extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** How often a function that changes something may be called in one run. */
export const MAX_CHANGING_CALLS = 10;

/** Called with the name of each listed function that a request names, whether the request is valid or not. */
export type OnCall = (functionName: string) => void;

export interface RunningServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** What the tests know of a server beyond what it says of itself. */
export interface NaturalRecord {
  readonly name: string;
  readonly forms: readonly Form[];
  readonly functions: readonly string[];
  /** Functions without any example: `documentation/examples`, a MAY, fails where there is one. */
  readonly withoutExample: readonly string[];
  /** Functions whose purpose is to change something: nobody wants them called over and over. */
  readonly changes: readonly string[];
  /** Functions that cannot be called without knowing more than the descriptor says: a token, an id that exists. */
  readonly undecided: Readonly<Record<Form, readonly string[]>>;
  /** Functions that refuse, correctly, to do the same thing twice; in a living process the second run comes too late. */
  readonly once: readonly string[];
  readonly start: (form: Form, onCall: OnCall) => Promise<RunningServer>;
}

/** All functions of the server can be called with what its schemas and examples say, again and again. */
export function isDecidable({ undecided, once }: NaturalRecord, form: Form): boolean {
  return undecided[form].length === 0 && once.length === 0;
}
