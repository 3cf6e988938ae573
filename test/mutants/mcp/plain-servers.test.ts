import { describe, expect, it } from 'vitest';
import { startHttpSubject } from '../../mcp/http-subject.ts';
import { checkSubject, checkSubjectAt, type PlainSubject } from './checked-subject.ts';

const STATELESS_OFFERS = ['prompts', 'resources', 'completions'] as const;
const OFFERS = [...STATELESS_OFFERS, 'logging'] as const;
const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const cases: readonly (readonly [name: string, channel: 'http' | 'stdio', subject: PlainSubject])[] = [
  ['HTTP, session era', 'http', { era: 'session' }],
  ['HTTP with streams, session era', 'http', { era: 'session', answers: 'events' }],
  ['HTTP, stateless era', 'http', { era: 'stateless' }],
  ['HTTP with streams, stateless era', 'http', { era: 'stateless', answers: 'events' }],
  ['standard streams, stateless era', 'stdio', { era: 'stateless' }],
  ['standard streams, with slow tools', 'stdio', { only: ['add', 'ponder'] }],
  ['HTTP, 2025-03-26', 'http', { era: 'session', version: '2025-03-26' }],
  ['HTTP, with subscriptions', 'http', { era: 'stateless', listening: true }],
  [
    'standard streams, with subscriptions',
    'stdio',
    { era: 'stateless', listening: true, only: ['add', 'ponder'] },
  ],
  ['HTTP with all offers, session era', 'http', { era: 'session', offers: OFFERS, pageSize: 1 }],
  ['HTTP with all offers, stateless era', 'http', { era: 'stateless', offers: STATELESS_OFFERS }],
  ['standard streams with all offers', 'stdio', { era: 'stateless', offers: STATELESS_OFFERS, pageSize: 1 }],
  ...SESSION_VERSIONS.map(
    (version) => [`standard streams, ${version}`, 'stdio', { version, offers: OFFERS }] as const,
  ),
];

describe('a server of the Model Context Protocol that breaks no rule', () => {
  it.each(cases)('passes over %s', async (_name, channel, subject) => {
    const { findings, verdict, target } = await checkSubject(channel, { only: ['add'], ...subject });
    expect(findings).toEqual([]);
    expect(verdict).toBe('pass');
    expect(target.mcpVersion).toBe(
      subject.version ?? (subject.era === 'stateless' ? '2026-07-28' : '2025-11-25'),
    );
  });
});

it('asks a server that announces only tools for nothing else', async () => {
  const { url, received, close } = await startHttpSubject({ era: 'stateless', only: ['add'] });
  const { results } = await checkSubjectAt(url).finally(close);
  const methods = new Set(received.map(({ 'mcp-method': method }) => String(method)));
  // Whether it still knows methods that this revision has no more is asked of every server.
  const removed = ['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];
  const further = [...methods].filter((method) => /^(prompts|resources|completion|logging)\//.test(method));
  expect(further.filter((method) => !removed.includes(method))).toEqual([]);
  const row = results.find(({ id }) => id === 'mcp/prompts-served');
  expect(row).toMatchObject({ outcome: 'inapplicable', reason: 'the server does not offer prompts' });
});

it('fails a server of revision 2025-03-26 that answers no list of messages', async () => {
  const { findings } = await checkSubject('http', { only: ['add'], version: '2025-03-26', batches: false });
  expect(findings.map(({ id }) => id)).toEqual(['mcp/http-batch-answered']);
});
