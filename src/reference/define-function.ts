import type { JsonObject, ObjectSchema, ValueOf } from './validate-input.ts';

/** A function that the servers offer, described once for all wires. */
export type ReferenceFunction = {
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly returns: ObjectSchema;
  readonly examples: readonly FunctionExample[];
  /** Only called with an input that `validateInput` accepted. */
  readonly run: (input: JsonObject, work?: Work) => JsonObject | Promise<JsonObject>;
};

/** For functions that take their time. Only some wires have it. */
export type Work = {
  /** Aborted when the caller no longer wants the result. */
  readonly signal: AbortSignal;
  readonly reportProgress: (progress: number, total: number, message: string) => void;
};

/** A valid input; with its output if that is always the same. */
export type FunctionExample = { readonly input: JsonObject; readonly output?: JsonObject };

/** A failure whose message is for the caller; all other errors stay inside the server. */
export class FunctionFailure extends Error {
  override readonly name = 'FunctionFailure';
}

export const failureMessage = (error: unknown): string =>
  error instanceof FunctionFailure ? error.message : 'The function failed.';

type Definition<Parameters extends ObjectSchema, Returns extends ObjectSchema> = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly returns: Returns;
  readonly examples: readonly { readonly input: ValueOf<Parameters>; readonly output?: ResultOf<Returns> }[];
  readonly run: (input: ValueOf<Parameters>, work?: Work) => ResultOf<Returns> | Promise<ResultOf<Returns>>;
};

type ResultOf<Returns extends ObjectSchema> = {
  readonly [Key in keyof Returns['properties']]: ValueOf<Returns['properties'][Key]>;
};

/** Checks the examples and the handler against the schemas at compile time. */
export const defineFunction = <const Parameters extends ObjectSchema, const Returns extends ObjectSchema>(
  definition: Definition<Parameters, Returns>,
) => definition as unknown as ReferenceFunction;
