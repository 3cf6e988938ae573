import { capabilitiesMutants } from './capabilities.ts';
import { documentationMutants } from './documentation.ts';
import { errorsMutants } from './errors.ts';
import { executeMutants } from './execute.ts';
import { healthMutants } from './health.ts';
import type { Mutant } from './mutant.ts';
import { robustnessMutants } from './robustness.ts';
import { securityMutants } from './security.ts';

const conforming: Mutant['mutate'] = () => (request, conform) => conform(request);

const DIGEST = `sha256:${'0'.repeat(64)}`;

/** A server that breaks another row, which the listing requirement rests on. */
function resting(
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
    alsoFails: { ...broken.alsoFails, ...alsoFails, [on]: 'the listing rests on it' },
  };
}

/** A listing that is written otherwise. */
function written(
  row: string,
  name: string,
  listing: NonNullable<Mutant['listing']>,
  form: Mutant['form'] = 'B',
): Mutant {
  return { row, form, name, mutate: conforming, listing };
}

const CLOSED = { repository: null, openSource: 'false' } as const;

export const listingMutants: readonly Mutant[] = [
  resting('listing/mcp-support', 'health/mcp-version-supported', healthMutants),
  resting('listing/mcp-support', 'capabilities/function-names-unique', capabilitiesMutants),
  resting('listing/mcp-support', 'execute/output-object', executeMutants),
  resting('listing/mcp-support', 'errors/unknown-function-rejected', errorsMutants, {
    'robustness/long-name': 'a name that is too long is unknown too',
  }),
  resting('listing/mcp-support', 'robustness/survives', robustnessMutants),

  resting('listing/documented-api', 'documentation/function-descriptions', documentationMutants),
  resting('listing/documented-api', 'documentation/examples', documentationMutants),
  resting('listing/documented-api', 'documentation/return-types', documentationMutants, {
    'listing/mcp-support': 'without outputs, the descriptor breaks the contract too',
  }),
  written('listing/documented-api', 'form A and no documentation', () => ({ documentation: null }), 'A'),
  written(
    'listing/documented-api',
    'form A and documentation that is gone',
    (pages) => ({ documentation: `${pages}/gone` }),
    'A',
  ),
  written(
    'listing/documented-api',
    'form A and an empty page',
    (pages) => ({ documentation: `${pages}/empty` }),
    'A',
  ),

  resting('listing/security-audit', 'security/no-stack-trace', securityMutants),
  written('listing/security-audit', 'no report', () => ({ auditReport: null, audited: 'false' })),
  written('listing/security-audit', 'audited, and no report', () => ({ auditReport: null })),
  written('listing/security-audit', 'a report that is gone', (pages) => ({
    auditReport: `{ url: "${pages}/gone", date: 2026-01-31, auditor: Somebody }`,
  })),
  written('listing/security-audit', 'a report of a day to come', (pages) => ({
    auditReport: `{ url: "${pages}/audit", date: 9999-12-31, auditor: Somebody }`,
  })),

  written('listing/open-or-verifiable', 'nothing is open', () => CLOSED),
  written('listing/open-or-verifiable', 'the source is said to be open', () => ({ repository: null })),
  written('listing/open-or-verifiable', 'a repository that is gone', (pages) => ({
    repository: `${pages}/gone`,
  })),
  written('listing/open-or-verifiable', 'a repository that has moved to nowhere', (pages) => ({
    repository: `${pages}/moved`,
  })),
  written('listing/open-or-verifiable', 'an artifact with another digest', (pages) => ({
    ...CLOSED,
    build: `{ artifact: "${pages}/artifact", digest: "${DIGEST}" }`,
  })),
  written('listing/open-or-verifiable', 'an artifact without a digest', (pages) => ({
    ...CLOSED,
    build: `{ artifact: "${pages}/artifact" }`,
  })),
  written('listing/open-or-verifiable', 'an attestation that is none', (pages) => ({
    ...CLOSED,
    build: `{ artifact: "${pages}/artifact", attestation: "${pages}/bundle" }`,
  })),
  written('listing/open-or-verifiable', 'a deployment without its steps', (pages) => ({
    ...CLOSED,
    deployment: `{ instructions: "${pages}/empty", digest: "${DIGEST}" }`,
  })),

  ...['id', 'name', 'description', 'category', 'tags', 'transport', 'audited', 'openSource', 'endpoint'].map(
    (field) => written('listing/record', `no ${field}`, () => ({ [field]: null })),
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
    written('listing/record', `${field}: ${value}`, () => ({ [field]: value })),
  ),
];
