import { describe, expect, it } from 'vitest';
import type { Channel, Era } from '../../../src/model/wire.ts';
import { loadSuites } from '../../../src/suite/load-suites.ts';
import { AUTHORIZATION_MUTANTS } from './authorization-mutants.ts';
import { checkSubject } from './checked-subject.ts';
import { CLIENT_MUTANTS } from './client-mutants.ts';
import { CONDUCT_MUTANTS } from './conduct-mutants.ts';
import { MCP_MUTANTS, type Mutant } from './mcp-mutants.ts';
import { OFFER_MUTANTS } from './offer-mutants.ts';
import { TEXT_MUTANTS } from './text-mutants.ts';

interface Place {
  readonly channel: Channel;
  readonly era: Era;
}

const PLACES: readonly Place[] = [
  { channel: 'stdio', era: 'session' },
  { channel: 'http', era: 'session' },
  { channel: 'stdio', era: 'stateless' },
  { channel: 'http', era: 'stateless' },
];
const VERSIONS: Readonly<Record<Era, string>> = { session: '2025-11-25', stateless: '2026-07-28' };

const MUTANTS = [
  ...MCP_MUTANTS,
  ...OFFER_MUTANTS,
  ...CONDUCT_MUTANTS,
  ...AUTHORIZATION_MUTANTS,
  ...CLIENT_MUTANTS,
  ...TEXT_MUTANTS,
];

const { registry } = await loadSuites();

const ONLY_PIPED: ReadonlySet<string> = new Set([
  'mcp/ends-with-input',
  'mcp/cancelled-silent',
  'mcp/cancelled-unanswered',
]);

/** Whether a requirement holds for servers of this era, over this channel. */
function holdsIn(requirement: string, { channel, era }: Place): boolean {
  const { since = '', until = '9999' } = registry.get(requirement) ?? {};
  const isOfChannel = /^mcp\/(?:http|auth)-/.test(requirement)
    ? channel === 'http'
    : !ONLY_PIPED.has(requirement) || channel === 'stdio';
  return isOfChannel && since <= VERSIONS[era] && VERSIONS[era] <= until;
}

function placesOf({ requirement, channel, era }: Mutant): readonly Place[] {
  return PLACES.filter(
    (place) =>
      holdsIn(requirement, place) &&
      (channel ?? place.channel) === place.channel &&
      (era ?? place.era) === place.era,
  );
}

/** The first mutant of a requirement is checked everywhere it can break it, the others in turn. */
const CASES: readonly (Mutant & Place)[] = MUTANTS.flatMap((mutant) => {
  const place = placesOf(mutant);
  const alike = MUTANTS.filter(
    ({ requirement, channel, era }) =>
      requirement === mutant.requirement && channel === mutant.channel && era === mutant.era,
  );
  const index = alike.indexOf(mutant);
  const chosen = index === 0 ? place : place.filter((_, at) => at === index % place.length);
  return chosen.map((one) => ({ ...mutant, ...one }));
});

/** Their calls are compared with pauses, which calls of other checks at the same time would make too short. */
const isTimed = ({ requirement }: Mutant): boolean => requirement.endsWith('-kept');

describe.each([
  ['among others', true, CASES.filter((mutant) => !isTimed(mutant))],
  ['alone', false, CASES.filter(isTimed)],
] as const)('a server of the Model Context Protocol, checked %s, fails', (_which, concurrent, mutants) => {
  const test = concurrent ? it.concurrent : it;
  test.for(mutants)(
    '$requirement and nothing else over $channel in the $era era when it $what',
    { timeout: 600_000 },
    async ({ requirement, channel, era, subject, options, also = {} }) => {
      const { findings, verdict } = await checkSubject(channel, { era, ...subject() }, options);
      const failed = findings.filter(({ outcome }) => outcome === 'failed');
      const ids = new Set(failed.map(({ id }) => id));
      expect(ids).toContain(requirement);
      const isExpected = (id: string): boolean => id === requirement || Object.hasOwn(also, id);
      expect([...ids].filter((id) => !isExpected(id))).toEqual([]);
      expect(new Set(failed.map(({ fault }) => fault))).toEqual(new Set(['server']));
      if (failed.some(({ level }) => level === 'MUST')) expect(verdict).toBe('fail');
    },
  );
});

describe('every requirement about the protocol, or about texts,', () => {
  it.each(PLACES)('has a server that breaks it over $channel in the $era era', (place) => {
    const isPlaced = (mutant: Mutant): boolean =>
      CASES.some(
        (one) =>
          one.requirement === mutant.requirement && one.channel === place.channel && one.era === place.era,
      );
    const broken = new Set(MUTANTS.filter(isPlaced).map(({ requirement }) => requirement));
    const whole = [...registry.keys()].filter(
      (id) => /^(?:mcp|texts)\//.test(id) && holdsIn(id, place) && !broken.has(id),
    );
    expect(whole).toEqual([]);
  });
});
