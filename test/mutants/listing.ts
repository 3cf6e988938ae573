import { capabilitiesMutants } from './capabilities.ts';
import { errorsMutants } from './errors.ts';
import { executeMutants } from './execute.ts';
import { healthMutants } from './health.ts';
import type { Mutant } from './mutant.ts';
import { robustnessMutants } from './robustness.ts';
import { securityMutants } from './security.ts';

const conforming: Mutant['mutate'] = () => (request, conform) => conform(request);

const DIGEST = `sha256:${'0'.repeat(64)}`;

/** A mutant that breaks another row, on which the listing row depends. */
function dependingOn(
  row: string,
  on: string,
  family: readonly Mutant[],
  alsoFails: Mutant['alsoFails'] = {},
): Mutant {
  const broken = family.find((one) => one.row === on);
  if (broken === undefined) throw new Error(`${on} has no mutant`);
  return {
    ...broken,
    row,
    name: `${on}: ${broken.name}`,
    alsoFails: { ...broken.alsoFails, ...alsoFails, [on]: 'the listing row depends on it' },
  };
}

/** A mutant with a changed listing. */
function withListing(
  row: string,
  name: string,
  listing: NonNullable<Mutant['listing']>,
  form: Mutant['form'] = 'B',
): Mutant {
  return { row, form, name, mutate: conforming, listing };
}

const CLOSED = { repository: null, openSource: 'false' } as const;

export const listingMutants: readonly Mutant[] = [
  dependingOn('listing/mcp-support', 'health/mcp-version-supported', healthMutants),
  dependingOn('listing/mcp-support', 'capabilities/function-names-unique', capabilitiesMutants),
  dependingOn('listing/mcp-support', 'execute/output-object', executeMutants),
  dependingOn('listing/mcp-support', 'errors/unknown-function-rejected', errorsMutants, {
    'robustness/long-name': 'a name that is too long is unknown too',
  }),
  dependingOn('listing/mcp-support', 'robustness/survives', robustnessMutants),

  withListing('listing/documented-api', 'form A and no documentation', () => ({ documentation: null }), 'A'),
  withListing(
    'listing/documented-api',
    'form A and missing documentation',
    (pages) => ({ documentation: `${pages}/gone` }),
    'A',
  ),
  withListing(
    'listing/documented-api',
    'form A and an empty page',
    (pages) => ({ documentation: `${pages}/empty` }),
    'A',
  ),

  dependingOn('listing/security-audit', 'security/no-stack-trace', securityMutants),
  withListing('listing/security-audit', 'no report', () => ({ auditReport: null, audited: 'false' })),
  withListing('listing/security-audit', 'audited without a report', () => ({ auditReport: null })),
  withListing('listing/security-audit', 'a missing report', (pages) => ({
    auditReport: `{ url: "${pages}/gone", date: 2026-01-31, auditor: Somebody }`,
  })),
  withListing('listing/security-audit', 'a report with a date in the future', (pages) => ({
    auditReport: `{ url: "${pages}/audit", date: 9999-12-31, auditor: Somebody }`,
  })),

  withListing('listing/open-or-verifiable', 'nothing is open', () => CLOSED),
  withListing('listing/open-or-verifiable', 'open source without a repository', () => ({ repository: null })),
  withListing('listing/open-or-verifiable', 'a missing repository', (pages) => ({
    repository: `${pages}/gone`,
  })),
  withListing('listing/open-or-verifiable', 'a repository that redirects to a missing page', (pages) => ({
    repository: `${pages}/moved`,
  })),
  withListing('listing/open-or-verifiable', 'an artifact with another digest', (pages) => ({
    ...CLOSED,
    build: `{ artifact: "${pages}/artifact", digest: "${DIGEST}" }`,
  })),
  withListing('listing/open-or-verifiable', 'an artifact without a digest', (pages) => ({
    ...CLOSED,
    build: `{ artifact: "${pages}/artifact" }`,
  })),
  withListing('listing/open-or-verifiable', 'an invalid attestation', (pages) => ({
    ...CLOSED,
    build: `{ artifact: "${pages}/artifact", attestation: "${pages}/bundle" }`,
  })),
  withListing('listing/open-or-verifiable', 'a deployment without its steps', (pages) => ({
    ...CLOSED,
    deployment: `{ instructions: "${pages}/empty", digest: "${DIGEST}" }`,
  })),

  ...['id', 'name', 'description', 'category', 'tags', 'transport', 'audited', 'openSource', 'endpoint'].map(
    (field) => withListing('listing/record', `no ${field}`, () => ({ [field]: null })),
  ),
  ...[
    ['id', 'a b'],
    ['tags', 'one'],
    ['transport', '[carrier-pigeon]'],
    ['uptime', '100.5'],
    ['responseTime', '-1'],
    ['lastUpdated', 'yesterday'],
    ['audited', '"true"'],
    ['endpoint', 'http://127.0.0.1:1'],
  ].map(([field = '', value = '']) =>
    withListing('listing/record', `${field}: ${value}`, () => ({ [field]: value })),
  ),
];
