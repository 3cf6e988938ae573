import type { JsonObject } from './json.ts';
import type { Form } from './requirement.ts';

/**
 * Where an input came from: the configuration; the configuration, as one on which the handler fails; an example of the
 * descriptor; nothing was needed; the same input was served before; put together from the descriptor by rules; written
 * in the suite; made wrong on purpose.
 */
export type InputSource =
  | 'configured'
  | 'failing'
  | 'example'
  | 'none-needed'
  | 'proven'
  | 'assembled'
  | 'given'
  | 'made-wrong';

/** A call of a function, as it was planned. */
export interface PlannedCall {
  readonly form: Form;
  readonly functionName: string;
  /** Null when the call carries no input at all. */
  readonly input: JsonObject | null;
  readonly inputSource: InputSource;
  /** Null in form A, and where the call leaves it out. */
  readonly requestId: string | null;
}

/** A refusal of such an input is no proof against the server. */
export function isGuess(source: InputSource): boolean {
  return source === 'assembled';
}
