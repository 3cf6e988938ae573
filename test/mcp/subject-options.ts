import path from 'node:path';
import type { Era } from '../../src/model/wire.ts';

/** The program of the server over standard streams. */
export const SUBJECT = path.resolve(import.meta.dirname, 'stdio-subject.mjs');

export type Offer = 'prompts' | 'resources' | 'completions' | 'logging';

export interface AskedRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface SubjectOptions {
  /** What it speaks; default: the session era. */
  readonly era?: Era;
  /** The only revision of the session era that it speaks; default: all of them. */
  readonly version?: string;
  /** Tools on each page of tools/list. */
  readonly pageSize?: number;
  /** Every page has the same nextCursor. */
  readonly endless?: boolean;
  /** Offers only these tools. */
  readonly only?: readonly string[];
  /** Refuses to be initialised, for this reason. */
  readonly refusal?: string;
  /** Returns sums as text, against its output schema. */
  readonly wrongSums?: boolean;
  /** Has tools that keep notes, and do what their annotations say only if `kept`. */
  readonly notes?: 'kept' | 'changed by reading' | 'put again';
  /** What it offers besides its tools. */
  readonly offers?: readonly Offer[];
  /** In the stateless era: announces changes of its tools, and accepts subscriptions. */
  readonly listening?: boolean;
  /** Answers calls that were cancelled, too. */
  readonly unstoppable?: boolean;
  /** Reads addresses of its resources as paths of the system. */
  readonly traversed?: boolean;
  /** Has tools that ask the client. */
  readonly asking?: {
    /** Default: `ask`, which asks for a form. */
    readonly tools?: readonly ('ask' | 'visit' | 'think' | 'roots')[];
    /** Changes what they ask for. */
    readonly change?: (request: AskedRequest, tool: string) => unknown;
    /** Ask again and again. */
    readonly endless?: boolean;
    /** Ask whatever the client declared. */
    readonly always?: boolean;
    /** What they do wrong with answers, or without a capability. */
    readonly faults?: readonly (
      | 'silent'
      | 'vague'
      | 'served'
      | 'untyped'
      | 'trusting'
      | 'strict'
      | 'final'
      | 'credulous'
    )[];
  };
  /** Does not announce changes of its tools. */
  readonly quiet?: boolean;
}

/** A message of the protocol. */
export type Message = { readonly id?: number | string; readonly method?: string } & Readonly<
  Record<string, unknown>
>;
