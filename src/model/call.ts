import type { JsonObject } from './json.ts';
import type { Form } from './requirement.ts';

/**
 * Where an input came from: the configuration; the configuration, as one on which the handler fails; an example of the
 * descriptor; nothing was needed; the same input was answered with 200 before; generated from the descriptor; written in
 * the suite; made wrong on purpose. `none-valid`: none that the declared schema accepts was found, so the call is not sent.
 */
export type InputSource =
  | 'configured'
  | 'failing'
  | 'example'
  | 'none-needed'
  | 'proven'
  | 'assembled'
  | 'none-valid'
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

/** Inputs whose refusal does not prove a failure of the server. */
export function isGuess(source: InputSource): boolean {
  return source === 'assembled';
}

/**
 * The empty input is the only valid one, so a refusal is not about the input. The function may correctly refuse the
 * call in its current state, such as a checkout of an empty cart.
 */
export function needsNoInput({ input, inputSource }: PlannedCall): boolean {
  return inputSource === 'none-needed' && input !== null;
}

/** A sample input for a function, from the configuration. */
export interface ConfiguredSample {
  readonly input: JsonObject;
  /** The function is expected to fail on this input (specification, section 7). */
  readonly fails: boolean;
}
