import { describe, expect, it } from 'vitest';
import { checkSubject } from './checked-subject.ts';

const GATED = [
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
  'logging/setLevel',
];

describe('a server that refuses a method for lack of a scope', () => {
  it.each(GATED)('fails no requirement: %s', async (gated) => {
    const { findings } = await checkSubject('http', {
      era: 'session',
      only: ['add'],
      offers: ['prompts', 'resources', 'completions', 'logging'],
      gated,
    });
    expect(findings.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)).toEqual([]);
  });
});
