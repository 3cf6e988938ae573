import type { JsonObject } from '../../validate-input.ts';
import type { Caller } from './caller.ts';

/** What a server offers, as data. The rest of this folder serves whatever catalog it is given. */
export type Catalog = {
  readonly identity: { readonly name: string; readonly version: string };
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly Template[];
  /** How many entries a page of each list has. */
  readonly pageSizes: { readonly tools: number; readonly prompts: number; readonly resources: number };
  /** Calls back after each change of a list or of a resource, until the returned function is called. */
  readonly watch: (subject: Subject, changed: () => void) => () => void;
};

export const lists = ['tools', 'prompts', 'resources'] as const;
export type List = (typeof lists)[number];

/** What can change: a list, or the resource with this address. */
export type Subject = List | { readonly uri: string };

export type Tool = {
  /** As tools/list shows it. */
  readonly listed: JsonObject & { readonly name: string };
  /** Returns what is wrong with an input, in a sentence; undefined if it is valid. */
  readonly validate: (input: JsonObject) => string | undefined;
  /** Returns the result of the call. Only called with a valid input. */
  readonly run: (input: JsonObject, caller: Caller) => JsonObject | Promise<JsonObject>;
};

export type Prompt = {
  readonly listed: JsonObject & {
    readonly name: string;
    readonly arguments?: readonly (JsonObject & { readonly name: string; readonly required?: boolean })[];
  };
  /** What can be typed for an argument, if that is known. */
  readonly completions?: Completions;
  /** Returns the result of prompts/get. Only called with all required arguments, which are texts. */
  readonly run: (given: JsonObject, caller: Caller) => JsonObject | Promise<JsonObject>;
};

export type Contents = { readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

export type Resource = {
  readonly listed: JsonObject & { readonly uri: string };
  readonly read: (caller: Caller) => Contents | Promise<Contents>;
  /** How long the contents stay the same. */
  readonly ttlMs?: number;
};

export type Template = {
  readonly listed: JsonObject & { readonly uriTemplate: string };
  readonly completions?: Completions;
  /** Whether there is a resource with this address. */
  readonly has: (uri: string) => boolean;
  readonly read: (uri: string, caller: Caller) => Contents | Promise<Contents>;
};

export type Completions = Readonly<Record<string, readonly string[]>>;
