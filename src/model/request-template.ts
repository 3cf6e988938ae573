import type { Json, JsonObject } from '../json/json.ts';

/**
 * Tokens that a request may carry instead of the user's: that one with a changed end; and those that the user gives
 * besides: one that has expired, one for another server, and one of another user.
 */
export const TOKENS = ['changed', 'expired', 'otherAudience', 'other'] as const;
export type TokenName = (typeof TOKENS)[number];

/** The settings with the names of the variables of those that the user gives. */
export const TOKEN_SETTINGS = {
  expired: 'expiredBearerEnv',
  otherAudience: 'otherAudienceBearerEnv',
  other: 'otherBearerEnv',
} as const satisfies Readonly<Partial<Record<TokenName, string>>>;
export type GivenTokenName = keyof typeof TOKEN_SETTINGS;
export type TokenSetting = (typeof TOKEN_SETTINGS)[GivenTokenName];

/** How a request of any kind is sent. */
export interface Sending {
  /** Null: not sent, although a request of its kind has it. */
  readonly headers: Readonly<Record<string, string | null>>;
  readonly abort: { readonly afterBytes: number } | null;
  /** Without the user's headers; inapplicable if there are none. */
  readonly anonymous: boolean;
  /** Over one connection with the other requests of the step, while the target keeps it open. */
  readonly keepConnection: boolean;
  /** Scheme for the user's bearer token instead of Bearer; inapplicable without a token. */
  readonly scheme: string | null;
  /** Sent instead of the user's bearer token; null: that one. */
  readonly token: TokenName | null;
  /** Minimum time-out, even if the settings have a shorter one. */
  readonly timeoutMs: number | null;
  readonly retry: Retry | null;
}

/** What a server lists: everything but the functions only in the Model Context Protocol. */
export const LISTED_KINDS = ['functions', 'prompts', 'resources', 'templates'] as const;
export type Listed = (typeof LISTED_KINDS)[number];

export interface Retry {
  readonly attempts: number;
  readonly waitMs: number;
  readonly on: readonly (number | 'unanswered')[];
}

export type RequestTemplate = Sending &
  (
    | {
        readonly kind: 'get';
        readonly path: string;
        readonly query: QueryTemplate | null;
        /** A base address other than the target's; the user's headers are not sent there. */
        readonly from: string | null;
      }
    | { readonly kind: 'post'; readonly path: string; readonly body: BodyTemplate }
    | {
        readonly kind: 'execute';
        readonly function: string;
        /** Only if no listed function has this name. */
        readonly unlisted: boolean;
        readonly arguments: ArgumentsTemplate;
        readonly requestId: string;
      }
    /** A handshake to upgrade to WebSocket; only if the listing names this transport. */
    | { readonly kind: 'websocket'; readonly path: string }
    /** Every page of a list; the functions are GET /capabilities, or tools/list. */
    | { readonly kind: 'list'; readonly of: Listed }
    /** Whether the target still answers: GET /health, ping, or server/discover. */
    | { readonly kind: 'alive' }
    // Each of the others belongs to a conversation: a process, or a session over HTTP.
    /** Starts the conversation, and finds out the era and the revision; `version`: asks for this revision only, once. */
    | {
        readonly kind: 'open';
        readonly conversation: string;
        readonly version: string | null;
        /** The client declares no capabilities. */
        readonly isBare: boolean;
      }
    /** A message; what every message of the conversation has, such as its id, is added unless it is given. */
    | {
        readonly kind: 'message';
        readonly conversation: string;
        readonly message: Json;
        /** A notification with which the reading ends, besides the answer. */
        readonly until: string | null;
      }
    /** Bytes as they are, which need not be a message. */
    | { readonly kind: 'raw'; readonly conversation: string; readonly parts: readonly RawPart[] }
    /** A request to the endpoint without a message; only over HTTP. */
    | { readonly kind: 'http'; readonly conversation: string; readonly method: 'GET' | 'DELETE' }
    /** Closes the standard input of the process, or ends the session. */
    | { readonly kind: 'close'; readonly conversation: string }
  );

/** Parameters of a query by name, each once or several times, or a reference to such a mapping. */
export type QueryTemplate = string | JsonObject;

export type BodyTemplate =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'raw'; readonly parts: readonly RawPart[] };

/** Bytes of a body that need not be JSON: text, base64, or a value written as JSON, repeated. */
export type RawPart = { readonly times: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly base64: string }
  | { readonly kind: 'json'; readonly value: Json }
);

/** How the input of an /execute call is generated; docs/suite-language.md describes each. */
export const NAMED_ARGUMENTS = [
  'sample',
  'distinct',
  'failing',
  'omitted',
  'missing-required',
  'wrong-type',
] as const;
/** `generated`: an experiment generates each input from the first one. */
export type NamedArguments = (typeof NAMED_ARGUMENTS)[number] | 'generated';
export type ArgumentsTemplate =
  | { readonly kind: NamedArguments }
  | { readonly kind: 'given'; readonly value: Json };
