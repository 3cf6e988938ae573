import { describe, expect, it } from 'vitest';
import type { Condition } from '../../src/model/suite.ts';
import { unmetCondition } from '../../src/run/steps/unmet-condition.ts';
import { SESSION, STATELESS } from '../checks/messages.ts';

const NONE: Condition = {
  form: null,
  channel: null,
  address: null,
  era: null,
  since: null,
  until: null,
  capability: null,
  present: null,
  otherwise: null,
};
const unmet = (condition: Partial<Condition>, opened: typeof SESSION | null = SESSION) =>
  unmetCondition({ ...NONE, ...condition }, opened);

describe('a condition on what both sides agreed on', () => {
  it('is met without a conversation, because something else decides that', () => {
    expect(unmet({ channel: 'http', era: 'stateless', capability: 'prompts' }, null)).toBeNull();
  });

  it('is about the channel', () => {
    expect(unmet({ channel: 'stdio' })).toBeNull();
    expect(unmet({ channel: 'http' })).toBe('only over HTTP');
    expect(unmet({ channel: 'stdio' }, { ...SESSION, channel: 'http' })).toBe('only over standard streams');
  });

  it('is about the era', () => {
    expect(unmet({ era: 'session' })).toBeNull();
    expect(unmet({ era: 'session' }, STATELESS)).toContain('open sessions');
    expect(unmet({ era: 'stateless' })).toContain('without sessions');
    expect(unmet({ era: 'stateless' }, STATELESS)).toBeNull();
  });

  it('is about the revision, and holds for the first and the last one', () => {
    const since = { since: '2025-06-18', until: '2025-11-25' };
    for (const version of ['2025-06-18', '2025-11-25'])
      expect(unmet(since, { ...SESSION, version })).toBeNull();
    expect(unmet(since, { ...SESSION, version: '2025-03-26' })).toBe(
      'only since revision 2025-06-18; the server speaks 2025-03-26',
    );
    expect(unmet(since, STATELESS)).toBe('only up to revision 2025-11-25; the server speaks 2026-07-28');
  });

  it('is about a capability of the server, and not of every object', () => {
    expect(unmet({ capability: 'tools' })).toBeNull();
    expect(unmet({ capability: 'tools.listChanged' })).toBe('the server does not offer tools.listChanged');
    expect(unmet({ capability: 'prompts' })).toBe('the server does not offer prompts');
    expect(unmet({ capability: 'toString' })).toBe('the server does not offer toString');
  });
});
