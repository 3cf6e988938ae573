import type { JsonObject, ObjectSchema, ValueOf } from './validate-input.ts';

/** A function that the servers offer, described once for all wires. */
export type ReferenceFunction = {
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly returns: ObjectSchema;
  readonly examples: readonly FunctionExample[];
  /** Only called with an input that `validateInput` accepted. It may stop when the signal is aborted. */
  readonly run: (input: JsonObject, signal?: AbortSignal) => JsonObject | Promise<JsonObject>;
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
  readonly run: (
    input: ValueOf<Parameters>,
    signal?: AbortSignal,
  ) => ResultOf<Returns> | Promise<ResultOf<Returns>>;
};

type ResultOf<Returns extends ObjectSchema> = {
  readonly [Key in keyof Returns['properties']]: ValueOf<Returns['properties'][Key]>;
};

/** Checks the examples and the handler against the schemas at compile time. */
export const defineFunction = <const Parameters extends ObjectSchema, const Returns extends ObjectSchema>(
  definition: Definition<Parameters, Returns>,
) => definition as unknown as ReferenceFunction;
