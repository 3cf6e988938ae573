import type { ContractChange } from './contract.ts';

/** Estimated tokens of one definition, or of several together. */
export interface TokenCounts {
  readonly name: number;
  /** The description, or without one the title. */
  readonly texts: number;
  /** The schema of the input. */
  readonly schemas: number;
  /** Of the whole definition: more than the parts, by what joins them. */
  readonly total: number;
}

/** What the definitions of a server's functions cost in each conversation of a client. */
export interface DefinitionTokens extends TokenCounts {
  /** The counts are no tokenizer's. */
  readonly isEstimate: true;
  /** The most expensive first. */
  readonly functions: readonly (TokenCounts & { readonly function: string })[];
}

/** A rule of a profile that a definition breaks, and the smallest change that keeps it. */
export interface PortabilityProblem {
  /** Null: the list of functions. */
  readonly function: string | null;
  readonly rule: string;
  /** Into the definition as the server sent it: `/inputSchema/properties/unit`, `/name`. */
  readonly pointer: string;
  readonly message: string;
  readonly change: string;
}

/** How the definitions fit one client or provider (suites/portability). */
export interface ProfileFit {
  readonly profile: string;
  readonly title: string;
  /** Its rules count in this run, because the user named the profile. */
  readonly isChosen: boolean;
  readonly functions: number;
  /** How many of them the profile accepts as they are. */
  readonly portable: number;
  /** The names of the others. */
  readonly refused: readonly string[];
  readonly problems: readonly PortabilityProblem[];
  /** How many more problems there are than are listed. */
  readonly more?: number;
}

/** What clients and models see of a server, from the answers of a run. */
export interface ClientView {
  readonly functions: number;
  readonly tokens: DefinitionTokens;
  readonly portability: readonly ProfileFit[];
  /** Compared with the contract that the user gave. */
  readonly changes?: readonly ContractChange[];
  /** Lists of which not all pages were read, so that nothing is known of what they lack. */
  readonly unread?: readonly string[];
}
