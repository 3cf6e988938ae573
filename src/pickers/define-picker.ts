import type { Json, JsonObject } from '../json/json.ts';
import type { InputSource } from '../model/call.ts';
import type { Answer } from '../model/exchange.ts';
import type { Evidence } from '../model/judgement.ts';
import type { RunSettings } from '../model/report.ts';

/** An answer of the step whose status was as expected and whose body is JSON. */
export interface PickerAnswer {
  readonly exchange: Answer;
  readonly value: Json;
  /** The item of the loop, if the step loops. */
  readonly item: Json | undefined;
}

export interface PickerContext {
  readonly answers: readonly PickerAnswer[];
  /** Values that earlier steps saved and chose. */
  readonly saved: ReadonlyMap<string, Json>;
  readonly settings: Pick<RunSettings, 'directory'>;
  /** A valid input for a function, and whether the function seems to change something. */
  readonly callOf: (descriptor: JsonObject) => CallOffer | null;
}

export interface CallOffer {
  readonly input: JsonObject;
  readonly source: InputSource;
  readonly changesSomething: boolean;
}

/** Why everything that depends on a picker is undecided. */
export type Doubt = Omit<Evidence, 'fault'>;

/** A variable without a value: nothing fits, or nothing is needed. */
export type Unchosen =
  | { readonly kind: 'none-fits'; readonly doubt: Doubt }
  | { readonly kind: 'not-needed'; readonly reason: string };

export type Chosen = { readonly kind: 'chosen'; readonly value: Json } | Unchosen;

/** Picks values for later requests. Pure, so that a saved run gives the same values. */
export type Picker = (context: PickerContext) => Chosen;

export function chosen(value: Json): Chosen {
  return { kind: 'chosen', value };
}

export function noneFits(message: string, expected: string, received: string, advice: string): Chosen {
  return { kind: 'none-fits', doubt: { message, expected, received, advice } };
}

export function notNeeded(reason: string): Chosen {
  return { kind: 'not-needed', reason };
}
