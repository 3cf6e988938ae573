import type { Json } from './json.ts';
import type { Outcome } from './judgement.ts';
import type { ConfiguredSample, Transport } from './report.ts';
import type { Level } from './requirement.ts';

/** One entry of a search result (specification, section 2.1). */
export interface ServerRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly transport: readonly Transport[];
  /** Percentage, 0 to 100. */
  readonly uptime: number;
  /** Milliseconds. */
  readonly responseTime: number;
  /** ISO 8601, UTC. */
  readonly lastUpdated: string;
  readonly audited: boolean;
  readonly openSource: boolean;
  /** `{server_url}`. */
  readonly endpoint: string;
}

/** What a server's author says of it for the directory: a whole listing, with every field of the record that is the author's. */
export interface Listing {
  /** Letters, digits, `.`, `_` and `-`; begins with a letter or digit; at most 64. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly transport: readonly Transport[];
  readonly audited: boolean;
  readonly openSource: boolean;
  readonly endpoint: string;
  /** Claims, shown only until they have been measured. */
  readonly uptime?: number;
  readonly responseTime?: number;
  readonly lastUpdated?: string;
  readonly version?: string;
  readonly mcpVersion?: string;
  readonly author?: { readonly name: string; readonly contact?: string };
  /** Of the source, http or https. */
  readonly repository?: string;
  /** SPDX expression. */
  readonly licence?: string;
  /** Where the API is described. */
  readonly documentation?: string;
  readonly auditReport?: AuditReport;
  readonly build?: Build;
  readonly deployment?: ReproducibleDeployment;
  /** Sample inputs by function name. */
  readonly samples?: Readonly<Record<string, readonly ConfiguredSample[]>>;
  /** Name of the environment variable, of whoever checks, that holds the target's bearer token. */
  readonly bearerEnv?: string;
}

export interface AuditReport {
  readonly url: string;
  /** `2026-03-31`. */
  readonly date: string;
  readonly auditor: string;
}

/** A build artifact that anybody can verify. */
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

/** How anybody makes the deployment again from the source. */
export interface ReproducibleDeployment {
  /** Where the steps are written down. */
  readonly instructions: string;
  /** `sha256:…` of what is deployed, which the steps must arrive at. */
  readonly digest: string;
}

/** Whether a directory may show an entry: `hold` while something is undecided. */
export type ListingDecision = 'list' | 'hold' | 'reject';

/** One of the listing requirements (specification, section 1), decided. */
export interface ListingRow {
  readonly requirement: string;
  readonly level: Level;
  readonly outcome: Outcome;
  /** What was found, what is missing, and how to mend it. */
  readonly evidence: readonly ListingEvidence[];
}

export interface ListingEvidence {
  readonly kind: 'found' | 'missing' | 'undecided';
  readonly text: string;
  /** How to mend what is missing; how to decide what is undecided. */
  readonly remedy?: string;
}

export interface ListingJudgement {
  readonly decision: ListingDecision;
  readonly rows: readonly ListingRow[];
}
