import type { Json } from '../json/json.ts';
import { anyList, anyObject, flag, objectWith, required, text } from './arguments.ts';
import type { ConfiguredSample } from './call.ts';
import type { Fault, TransportFailureCode } from './exchange.ts';
import type { Outcome } from './judgement.ts';
import type { Level } from './requirement.ts';
import type { MeasuredField, RecordField, ServerRecord } from './saved/server-record.ts';
import type { SourceLocation } from './suite.ts';

/** A complete listing, with every field of the server record that the author provides. */
export interface Listing
  extends Omit<ServerRecord, MeasuredField | 'figures' | 'status'>,
    /** Claims, shown only until they are measured. */
    Partial<Pick<ServerRecord, MeasuredField>> {
  /** The Model Context Protocol, at the endpoint; absent: the three endpoints of the contract. */
  readonly protocol?: 'mcp';
  readonly version?: string;
  readonly mcpVersion?: string;
  readonly author?: { readonly name: string; readonly contact?: string };
  /** Address of the source, http or https. */
  readonly repository?: string;
  /** SPDX expression. */
  readonly licence?: string;
  /** Address of the API documentation. */
  readonly documentation?: string;
  readonly auditReport?: AuditReport;
  readonly build?: Build;
  readonly deployment?: ReproducibleDeployment;
  /** Sample inputs by function name. */
  readonly samples?: Readonly<Record<string, readonly ConfiguredSample[]>>;
  /** Name of the environment variable with the target's bearer token, on the machine that runs the check. */
  readonly bearerEnv?: string;
  /** How often a directory should read the health, and test the server: seconds. */
  readonly probeEvery?: number;
  readonly testEvery?: number;
  /** False: a directory must not test the server. */
  readonly tests?: boolean;
}

export interface AuditReport {
  readonly url: string;
  /** `2026-03-31`. */
  readonly date: string;
  readonly auditor: string;
}

export interface Build {
  /** Where the artifact can be fetched. */
  readonly artifact?: string;
  /** `sha256:…` of the artifact. */
  readonly digest?: string;
  /** A Sigstore bundle: an address, or the bundle itself. */
  readonly attestation?: string | Readonly<Record<string, Json>>;
  /** Who must have signed the attestation. */
  readonly signer?: { readonly identity: string; readonly issuer: string };
}

/** How to reproduce the deployment from the source. */
export interface ReproducibleDeployment {
  readonly instructions: string;
  /** `sha256:…` of the deployment, which the instructions must produce. */
  readonly digest: string;
}

/** A missing or invalid field of the server record. */
export interface FieldProblem {
  readonly field: RecordField;
  readonly where: SourceLocation;
  readonly message: string;
  readonly expected: string;
  readonly received: string;
  readonly remedy: string;
}

/**
 * A parsed listing. Fields of the server record may be missing or wrong, because a requirement judges them: wrong
 * fields are left out of `said` and listed in `problems`.
 */
export interface ParsedListing {
  readonly where: SourceLocation;
  readonly said: Partial<Listing>;
  readonly problems: readonly FieldProblem[];
  /** The place of every key in the file; empty for a listing that a directory stores. */
  readonly places: Readonly<Record<string, SourceLocation>>;
}

/** The file of a listing; null for one that a directory stores, whose `where` contains only its name. Pure. */
export function fileOf({ where, places }: Pick<ParsedListing, 'where' | 'places'>): string | null {
  return Object.keys(places).length === 0 ? null : where.file;
}

/** The measurements of a server by a check or a directory; null if not measured. */
export type Measured = { readonly [Field in MeasuredField]: ServerRecord[Field] | null };

/** The result of fetching an address in a listing; redirects were followed. */
export type Fetched =
  | {
      readonly kind: 'answered';
      /** The last address, after redirects. */
      readonly url: string;
      readonly status: number;
      readonly bytes: number;
      /** Hexadecimal, of the body. */
      readonly sha256: string;
      readonly sha512: string;
    }
  | {
      readonly kind: 'unanswered';
      readonly url: string;
      readonly reason: {
        readonly code: TransportFailureCode | 'bad-redirect' | 'too-many-redirects';
        readonly message: string;
        readonly fault: Fault;
      };
    };

/** The result of verifying a Sigstore bundle. */
export type CheckedAttestation =
  | {
      readonly kind: 'verified';
      /** Digest of its subject, such as `sha256:…`. */
      readonly digest: string;
      readonly signer: { readonly identity: string | null; readonly issuer: string | null };
    }
  | { readonly kind: 'refused'; readonly problem: string }
  /** Undecided. */
  | { readonly kind: 'unverifiable'; readonly problem: string; readonly remedy: string }
  | { readonly kind: 'unfetched'; readonly fetched: Fetched };

/** The fetched evidence of a listing; null for addresses that it does not name. */
export interface Gathered {
  readonly repository: Fetched | null;
  readonly documentation: Fetched | null;
  readonly auditReport: Fetched | null;
  readonly instructions: Fetched | null;
  readonly artifact: Fetched | null;
  readonly attestation: CheckedAttestation | null;
}

/** The listing requirements (specification, section 1) with their levels, in the order of reports. */
export const LISTING_LEVELS = {
  'listing/mcp-support': 'MUST',
  'listing/documented-api': 'MUST',
  'listing/security-audit': 'MAY',
  'listing/open-or-verifiable': 'MUST',
  'listing/record': 'MUST',
} as const satisfies Readonly<Record<string, Level>>;

export type ListingRequirement = keyof typeof LISTING_LEVELS;

/** Whether a directory may show an entry: `hold` while something is undecided. */
export type ListingDecision = 'list' | 'hold' | 'reject';

/** One of the listing requirements (specification, section 1), decided. */
export interface ListingRow {
  readonly requirement: ListingRequirement;
  readonly level: Level;
  readonly outcome: Extract<Outcome, 'passed' | 'failed' | 'undecided'>;
  /** What was found, what is missing, and how to fix it. */
  readonly evidence: readonly ListingEvidence[];
}

export type ListingEvidence =
  | { readonly kind: 'found'; readonly text: string }
  | {
      readonly kind: 'missing' | 'undecided';
      readonly text: string;
      readonly expected: string;
      readonly received: string;
      /** How to fix missing evidence, or how to decide undecided evidence. */
      readonly remedy: string;
      readonly fault: Fault;
      /** The key of the listing, if the evidence is about one. */
      readonly key?: string;
      readonly where: SourceLocation;
    };

export interface ListingJudgement {
  readonly decision: ListingDecision;
  readonly rows: readonly ListingRow[];
}

/** What the listing's rows are decided from, besides the result, so that they can be decided again. */
export interface ListingBasis {
  readonly listing: ParsedListing;
  /** Null if no evidence was gathered. */
  readonly gathered: Gathered | null;
}

export const PARSED_LISTING = required(
  objectWith<ParsedListing>('a listing, as parseListing gives it', {
    where: required(objectWith<SourceLocation>('a place', { file: required(text) })),
    said: required(anyObject),
    problems: required(anyList),
    places: required(anyObject),
  }),
);

export const LISTING = required(
  objectWith<Listing>('a listing, as wholeListing gives it', {
    id: required(text),
    name: required(text),
    description: required(text),
    category: required(text),
    tags: required(anyList),
    transport: required(anyList),
    audited: required(flag),
    openSource: required(flag),
    endpoint: required(text),
  }),
);
