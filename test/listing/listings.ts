import { settingsOf } from '../../src/check/run-settings.ts';
import type { Row } from '../../src/model/judgement.ts';
import type { Fetched, Gathered, ParsedListing } from '../../src/model/listing.ts';
import type { TestResult } from '../../src/model/report.ts';
import { type Form, levelFor, type Requirement } from '../../src/model/requirement.ts';
import { parseRegistry } from '../../src/suite/language/registry.ts';
import { parseListing } from '../../src/suite/listing/parse-listing.ts';
import { registryFile } from '../../src/suite/product-files.ts';
import { readSource } from '../../src/suite/read-source.ts';
import { resultOf, row } from '../report/results.ts';

export const ENDPOINT = 'http://127.0.0.1:3000';
export const FILE = 'probity.listing.yaml';

/** A complete listing with one key in each line, so that a test can remove or replace one. */
const LINES: Readonly<Record<string, string>> = {
  listing: 'v1',
  id: 'forecast',
  name: 'Forecast',
  description: 'Tells the weather',
  category: 'weather',
  tags: '[forecast, climate]',
  transport: '[http]',
  audited: 'false',
  openSource: 'true',
  endpoint: ENDPOINT,
  repository: 'https://git.example.org/forecast',
};

/** The text of a listing with replaced lines; null removes one. */
export function listingText(changes: Readonly<Record<string, string | null>> = {}): string {
  return Object.entries({ ...LINES, ...changes })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

export function listingOf(changes: Readonly<Record<string, string | null>> = {}): ParsedListing {
  return parseListing(listingText(changes), FILE);
}

const file = registryFile();
export const requirements: readonly Requirement[] = [
  ...parseRegistry(readSource(file.file, file.shown).text, file.shown).values(),
];

/** A result in which every row passed, except the named ones. */
export function testedAs(
  outcomes: Readonly<Record<string, Row['outcome'] | null>> = {},
  form: Form = 'B',
  parts: Partial<TestResult> = {},
): TestResult {
  const rows = requirements
    .filter(({ id }) => !id.startsWith('listing/') && outcomes[id] !== null)
    .map(({ id, level }) => row(id, outcomes[id] ?? 'passed', { level: levelFor(level, form) }));
  return resultOf(rows, {
    settings: settingsOf({ seed: 7, listingGiven: true }),
    target: { url: ENDPOINT, form: { capabilities: form, execute: form } },
    responseTimes: [{ operation: 'health', count: 30, errors: 0, p50Ms: 12.5, meanMs: 13, intervals: {} }],
    ...parts,
  });
}

export function answered(status: number, bytes = 100, sha256 = 'a'.repeat(64)): Fetched {
  return {
    kind: 'answered',
    url: 'https://example.org/there',
    status,
    bytes,
    sha256,
    sha512: 'b'.repeat(128),
  };
}

export function unanswered(
  code: Extract<Fetched, { kind: 'unanswered' }>['reason']['code'],
  fault: 'network' | 'server' | 'harness' = 'network',
): Fetched {
  return {
    kind: 'unanswered',
    url: 'https://example.org/there',
    reason: { code, message: `said as ${code}`, fault },
  };
}

export function gatheredOf(parts: Partial<Gathered> = {}): Gathered {
  return {
    repository: answered(200),
    documentation: null,
    auditReport: null,
    instructions: null,
    artifact: null,
    attestation: null,
    ...parts,
  };
}
