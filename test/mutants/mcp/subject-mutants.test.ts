import { describe, expect, it } from 'vitest';
import { loadSuites } from '../../../src/suite/load-suites.ts';
import { SUBJECT } from '../../mcp/bridges.ts';
import { startHttpSubject } from '../../mcp/http-subject.ts';
import { checkSubject } from './checked-subject.ts';
import { STDIO_MUTANTS } from './stdio-mutants.ts';
import { SUBJECT_MUTANTS } from './subject-mutants.ts';

const VALID_MESSAGES = 'mcp/valid-messages';

/** Their calls are compared with pauses, which calls of other checks at the same time would make too short. */
const isTimed = ({ requirement }: (typeof SUBJECT_MUTANTS)[number]): boolean => requirement.endsWith('-kept');

describe.each([
  ['among others', true, SUBJECT_MUTANTS.filter((mutant) => !isTimed(mutant))],
  ['alone', false, SUBJECT_MUTANTS.filter(isTimed)],
] as const)('a server of the Model Context Protocol, checked %s, that', (_which, concurrent, mutants) => {
  const test = concurrent ? it.concurrent : it;
  test.for(mutants.map((mutant) => [mutant.what, mutant.requirement, mutant] as const))(
    '%s fails %s, and is blamed',
    async ([_what, requirement, { subject }], { onTestFinished }) => {
      const server = await startHttpSubject(subject);
      onTestFinished(server.close);
      const { findings, verdict } = await checkSubject([server.url]);
      const failed = findings.filter(({ outcome }) => outcome === 'failed');
      const ids = failed.map(({ id }) => id);
      expect(ids).toContain(requirement);
      // What has a requirement of its own is not reported again as an invalid message.
      if (subject.intercept === undefined)
        expect(ids.includes(VALID_MESSAGES)).toBe(requirement === VALID_MESSAGES);
      expect(new Set(failed.map(({ fault }) => fault))).toEqual(new Set(['server']));
      expect(findings.filter(({ fault }) => fault === 'bridge')).toEqual([]);
      expect(verdict === 'fail').toBe(failed.some(({ level }) => level === 'MUST'));
    },
  );
});

describe.concurrent('a server over standard streams that', () => {
  it.for(STDIO_MUTANTS.map((mutant) => [mutant.what, mutant.requirement, mutant] as const))(
    '%s fails %s, and is blamed',
    { timeout: 600_000 },
    async ([_what, requirement, { subject }]) => {
      const options = JSON.stringify({ only: ['add'], ...subject });
      const { findings } = await checkSubject([process.execPath, SUBJECT, options]);
      const failed = findings.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ id }) => id)).toContain(requirement);
      expect(new Set(failed.map(({ fault }) => fault))).toEqual(new Set(['server']));
      expect(findings.filter(({ fault }) => fault === 'bridge')).toEqual([]);
    },
  );
});

it('every requirement about the protocol has a server that breaks it', async () => {
  const { registry } = await loadSuites();
  const broken = new Set([...SUBJECT_MUTANTS, ...STDIO_MUTANTS].map(({ requirement }) => requirement));
  const whole = [...registry.keys()].filter(
    (id) => id.startsWith('mcp/') && !broken.has(id) && id !== 'mcp/relayed-unchanged',
  );
  expect(whole).toEqual([]);
});
