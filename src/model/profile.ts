/** Clients and providers; each has a file in suites/portability, which its build checks against this list. */
export const PROFILE_IDS = [
  'anthropic',
  'anthropic-strict',
  'bedrock',
  'claude',
  'draft-07',
  'gemini',
  'gemini-openapi',
  'openai',
  'openai-strict',
  'vscode',
] as const;
export type ProfileId = (typeof PROFILE_IDS)[number];

/** What a rule asks of definitions. A new kind needs a function in src/portability/rule-kinds.ts. */
export type RuleTest =
  /** The name of a function. */
  | { readonly kind: 'name'; readonly pattern: string; readonly maxLength: number }
  | {
      readonly kind: 'description';
      readonly required?: boolean;
      /** A given one is not empty. */
      readonly notEmpty?: boolean;
      readonly maxLength?: number;
    }
  /** The input is described by a schema with `"type": "object"`. */
  | { readonly kind: 'root-object' }
  /** Keywords that must not be used: at the root, or anywhere. */
  | {
      readonly kind: 'keywords';
      readonly refused: readonly string[];
      readonly at?: 'root';
      /** Another keyword that says the same, or nearly. */
      readonly instead?: Readonly<Record<string, string>>;
    }
  /** The only keywords that may be used. */
  | {
      readonly kind: 'known-keywords';
      readonly known: readonly string[];
      readonly instead?: Readonly<Record<string, string>>;
    }
  /** The values that a keyword may have. */
  | {
      readonly kind: 'keyword-values';
      readonly keyword: string;
      readonly accepted: readonly (string | number)[];
      /** Only beside this type. */
      readonly type?: string;
    }
  /** `$schema` names none of these dialects. */
  | { readonly kind: 'dialect'; readonly refused: readonly string[] }
  /** `pattern` has none of these constructs: regular expressions that find them. */
  | { readonly kind: 'regexp'; readonly refused: readonly string[] }
  /** Names of the properties of the input. */
  | { readonly kind: 'property-names'; readonly pattern: string; readonly maxLength: number }
  /** Each object has `"additionalProperties": false`. */
  | { readonly kind: 'closed-objects' }
  /** Each object requires all of its properties. */
  | { readonly kind: 'all-required' }
  /** Each object declares the properties that it requires. */
  | { readonly kind: 'required-declared' }
  /** Each array has `items`. */
  | { readonly kind: 'items-given' }
  /** `items` is one schema, not a list. */
  | { readonly kind: 'items-single' }
  /** `type` is one type, not a list. */
  | { readonly kind: 'single-type' }
  /** Each schema names its type, or has one of these keywords; true, false and {} do not. */
  | { readonly kind: 'typed'; readonly except: readonly string[] }
  | { readonly kind: 'enum-types'; readonly types: readonly ('string' | 'primitive')[] }
  | { readonly kind: 'references'; readonly refused: 'recursive' | 'external' | 'beside-keywords' }
  /** Of one definition, or of all functions together. */
  | { readonly kind: 'limit'; readonly of: LimitOf; readonly max: number };

export type LimitOf =
  | 'nesting'
  | 'properties'
  | 'enum-values'
  | 'functions'
  | 'optional-parameters'
  | 'unions';

export type ProfileRule = RuleTest & {
  readonly id: string;
  /** What happens to a caller. */
  readonly why: string;
  /** What the page says, in own words. */
  readonly says: string;
  readonly page: string;
};

/** What a client or provider accepts as the definition of a function. */
export interface Profile {
  readonly id: ProfileId;
  readonly title: string;
  /** A few letters, for the head of a column. */
  readonly short: string;
  /** What the profile is, where the title does not say it. */
  readonly about: string;
  /** The day on which the pages were read. */
  readonly read: string;
  /** Whether also the schema of the result is judged. */
  readonly output?: boolean;
  readonly rules: readonly ProfileRule[];
}
