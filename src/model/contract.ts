import type { Json, JsonObject } from '../json/json.ts';
import { anyList, anyObject, objectWith, oneOf, required } from './arguments.ts';
import type { Wire } from './wire.ts';

export const CONTRACT_SCHEMA_ID = 'https://probity.invalid/schemas/contract/v1';

/** A function, or a tool of the Model Context Protocol, as a client sees it. */
export interface ContractFunction {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments; null if the server gives none. In form A, made from the names of the inputs. */
  readonly input: Json;
  /** JSON Schema of the result; null if the server gives none. */
  readonly output: Json;
  readonly annotations?: JsonObject;
  /** All other members that the server gave. */
  readonly more?: JsonObject;
}

/** Lists of a server of the Model Context Protocol, beside its tools. */
export const CONTRACT_LISTS = ['prompts', 'resources', 'resourceTemplates'] as const;
export type ContractList = (typeof CONTRACT_LISTS)[number];

/**
 * What a server offers to its callers, without what differs from run to run: the lists are sorted by name, the members of
 * every object by key. schemas/contract.schema.json describes it.
 */
export interface Contract {
  readonly schema: typeof CONTRACT_SCHEMA_ID;
  readonly wire: Wire;
  readonly server: { readonly name?: string; readonly version?: string };
  /** Of the Model Context Protocol: the revision that was spoken. */
  readonly revision?: string;
  /** What the server tells the model about itself. */
  readonly instructions?: string;
  readonly capabilities?: JsonObject;
  readonly functions: readonly ContractFunction[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  /** Lists of which not all pages were read; of those, what is missing says nothing. */
  readonly unread: readonly ('functions' | ContractList)[];
}

export const CONTRACT = objectWith<Contract>('a contract, as contractOf and readContract give it', {
  schema: required(oneOf(CONTRACT_SCHEMA_ID)),
  server: required(anyObject),
  functions: required(anyList),
  prompts: required(anyList),
  resources: required(anyList),
  resourceTemplates: required(anyList),
  unread: required(anyList),
});

/**
 * What a change is for a caller of the older contract. `breaking`: a call that was right may fail, or a result may not be
 * what was promised. `unclear`: whether it is breaking could not be decided.
 */
export const CHANGE_KINDS = ['breaking', 'unclear', 'additive', 'cosmetic'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface ContractChange {
  readonly kind: ChangeKind;
  readonly of: 'server' | 'function' | 'prompt' | 'resource' | 'resourceTemplate';
  /** Null for the server. */
  readonly name: string | null;
  /** RFC 6901 pointer into the newer contract; into the older one for what was removed. */
  readonly pointer: string;
  /** Such as `the argument "unit" is required now`. */
  readonly message: string;
  readonly before?: Json;
  readonly after?: Json;
  /** The text says something else to the model than before: for whoever decides whether the change is wanted. */
  readonly isSuspicious?: true;
}
