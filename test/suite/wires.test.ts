import { describe, expect, test } from 'vitest';
import type { Suite } from '../../src/model/suite.ts';
import { parseRegistry } from '../../src/suite/language/registry.ts';
import {
  catalogue,
  expectedSummaries,
  loadText,
  type Mistake,
  problemsOf,
  readMarks,
  suiteOf,
  summaryOf,
} from './loading.ts';

const rowWith = (id: string, more = ''): string =>
  `  - { id: ${id}, level: MUST, spec: "-", text: text of ${id}, why: w, fix: f${more} }\n`;

const registry = parseRegistry(
  `registry: v1\nrequirements:\n${[
    rowWith('rest/up', ', wire: rest'),
    rowWith('rest/down', ', wire: rest'),
    rowWith('mcp/up', ', wire: mcp, since: 2025-06-18, until: 2025-11-25'),
    rowWith('mcp/down', ', wire: mcp'),
    rowWith('both/up'),
    rowWith('both/late', ', since: 2026-07-28'),
  ].join('')}`,
  'r.yaml',
);

const load = (text: string, known: readonly Suite[] = []): Suite =>
  loadText(text, known, { ...catalogue, registry });

/** The assertions of a step that expects this. */
function assertionsOf(expected: string) {
  const text = suiteOf(`- id: one\n  request: { get: /health }\n  expect:\n    ${expected}`);
  return load(text).steps[0]?.expect ?? [];
}

const shown = (expected: string): readonly string[] =>
  assertionsOf(expected).map(({ requirement, wire = 'both', needs }) =>
    [requirement, wire, ...(needs === null ? [] : ['needs', needs])].join(' '),
  );

describe('the wire of an assertion', () => {
  test('is that of the requirement in the registry', () => {
    expect(shown('status: { is: 200, requirement: rest/up }')).toEqual(['rest/up rest']);
    expect(shown('status: { is: 200, requirement: mcp/up }')).toEqual(['mcp/up mcp']);
    expect(shown('status: { is: 200, requirement: both/up }')).toEqual(['both/up both']);
    expect(shown('status: { is: 200, id: own }')).toEqual(['mine/own both']);
  });

  test('makes one assertion of each requirement that is given per wire', () => {
    const found = assertionsOf('status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up } }');
    expect(found).toMatchObject([
      { requirement: 'rest/up', wire: 'rest', text: 'text of rest/up', kind: 'status', is: [200] },
      { requirement: 'mcp/up', wire: 'mcp', text: 'text of mcp/up', kind: 'status', is: [200] },
    ]);
    expect(found[0]?.where).toEqual(found[1]?.where);
  });

  test('may be one of them only, also for a requirement of both', () => {
    expect(shown('outcome: { is: result, requirement: { rest: rest/up } }')).toEqual(['rest/up rest']);
    expect(shown('outcome: { is: result, requirement: { mcp: both/up } }')).toEqual(['both/up mcp']);
  });

  test('splits assertions of every kind', () => {
    const perWire = 'requirement: { rest: rest/up, mcp: mcp/up }';
    for (const expected of [
      `outcome: { is: result, ${perWire} }`,
      `headers: [{ name: a, absent: true, ${perWire} }]`,
      `body: [{ at: $.a, is: {}, ${perWire} }]`,
      `checks: [{ check: answered, ${perWire} }]`,
      `time: { maxMs: 5, ${perWire} }`,
    ])
      expect(shown(expected), expected).toEqual(['rest/up rest', 'mcp/up mcp']);
    const timed = load(
      suiteOf(
        `- id: one\n  request: { get: / }\n  experiment: { timed-calls: 6 }\n  expect: { budget: { p50Ms: 5, ${perWire} }, status: { is: 200, id: ok } }`,
      ),
    );
    expect(timed.steps[0]?.expect).toMatchObject([
      { kind: 'status' },
      { kind: 'budget', requirement: 'rest/up', wire: 'rest', limitsMs: { p50: 5 } },
      { kind: 'budget', requirement: 'mcp/up', wire: 'mcp', limitsMs: { p50: 5 } },
    ]);
  });

  test('decides which other assertion it needs', () => {
    const up = 'status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up } }';
    const down = 'requirement: { rest: rest/down, mcp: mcp/down }';
    expect(
      shown(`${up}\n    body: [{ at: $, is: {}, needs: { rest: rest/up, mcp: mcp/up }, ${down} }]`),
    ).toEqual(['rest/up rest', 'mcp/up mcp', 'rest/down rest needs rest/up', 'mcp/down mcp needs mcp/up']);
    expect(shown(`${up}\n    body: [{ at: $, is: {}, needs: { mcp: mcp/up }, ${down} }]`).slice(2)).toEqual([
      'rest/down rest',
      'mcp/down mcp needs mcp/up',
    ]);
  });

  test('splits an assertion of both wires that needs different ones', () => {
    const up = 'status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up } }';
    const needs = 'needs: { rest: rest/up, mcp: mcp/up }';
    expect(
      shown(
        `${up}\n    body: [{ at: $, is: {}, ${needs}, id: own }, { at: $, is: {}, ${needs}, requirement: both/up }]`,
      ),
    ).toEqual([
      'rest/up rest',
      'mcp/up mcp',
      'mine/own rest needs rest/up',
      'mine/own mcp needs mcp/up',
      'both/up rest needs rest/up',
      'both/up mcp needs mcp/up',
    ]);
  });

  test('decides which requirement is to blame where a check cannot judge', () => {
    const check = (blockedBy: string, identity: string): string =>
      `status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up } }\n    checks: [{ check: error-request-id, blockedBy: ${blockedBy}, ${identity} }]`;
    const found = (blockedBy: string, identity: string) =>
      assertionsOf(check(blockedBy, identity)).filter(({ kind }) => kind === 'check');
    expect(
      found('{ no-answer: { rest: rest/up, mcp: mcp/up }, no-json-object: { rest: rest/up } }', 'id: own'),
    ).toMatchObject([
      { wire: 'rest', blockedBy: { 'no-answer': 'rest/up', 'no-json-object': 'rest/up' } },
      { wire: 'mcp', blockedBy: { 'no-answer': 'mcp/up' } },
    ]);
    const [, mcp] = found('{ no-json-object: { rest: rest/up } }', 'id: own');
    expect(mcp).toMatchObject({ wire: 'mcp', blockedBy: {} });
    expect(mcp).not.toHaveProperty('blockedBy.no-json-object');
    expect(found('{ no-answer: rest/up }', 'requirement: { rest: rest/down }')).toMatchObject([
      { wire: 'rest', blockedBy: { 'no-answer': 'rest/up' } },
    ]);
  });

  test('decides what a saved value needs', () => {
    const saved = (needs: string) =>
      load(
        suiteOf(
          `- id: one\n  request: { list: functions }\n  expect: { outcome: { is: result, requirement: { rest: rest/up, mcp: mcp/up } } }\n  save: { all: { at: $.a, needs: ${needs} } }`,
        ),
      ).steps[0]?.save.all;
    expect(saved('{ rest: rest/up, mcp: mcp/up }')).toMatchObject({
      needs: { rest: 'rest/up', mcp: 'mcp/up' },
    });
    expect(saved('{ mcp: mcp/up }')).toMatchObject({ needs: { rest: null, mcp: 'mcp/up' } });
    expect(saved('rest/up')).toMatchObject({ needs: { rest: 'rest/up', mcp: 'rest/up' } });
  });

  test('may make a circle only together with the other wire', () => {
    expect(
      shown(
        'body: [{ at: $, is: {}, id: a, needs: { rest: b } }, { at: $, is: {}, id: b, needs: { mcp: a } }]',
      ),
    ).toEqual(['mine/a rest needs mine/b', 'mine/a mcp', 'mine/b rest', 'mine/b mcp needs mine/a']);
  });

  test('is known to later steps, of other suites too', () => {
    const first = suiteOf(
      '- id: one\n  request: { get: / }\n  expect: { status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up } } }',
    ).replace('id: mine', 'id: first');
    const later = (needs: string): string =>
      suiteOf(
        `- id: two\n  needs: [first/one]\n  request: { get: / }\n  expect: { status: { is: 200, needs: ${needs}, requirement: { mcp: mcp/down } } }`,
      );
    const known = [load(first)];
    expect(load(later('mcp/up'), known).steps[0]?.expect).toMatchObject([{ wire: 'mcp', needs: 'mcp/up' }]);
    expect(problemsOf(() => load(later('rest/up'), known)).map(({ message }) => message)).toEqual([
      '"rest/up" is not decided for mcp',
    ]);
  });
});

describe('the revisions of an assertion', () => {
  const spans = (expected: string) =>
    assertionsOf(expected).map(({ when: { since, until } }) => [since, until]);

  test('are those of its requirement', () => {
    expect(spans('status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up } }')).toEqual([
      [null, null],
      ['2025-06-18', '2025-11-25'],
    ]);
    expect(spans('status: { is: 200, requirement: both/late }')).toEqual([['2026-07-28', null]]);
    expect(spans('status: { is: 200, requirement: both/late, when: { channel: http } }')).toEqual([
      ['2026-07-28', null],
    ]);
  });

  test('are its own if it gives them', () => {
    expect(spans('status: { is: 200, requirement: mcp/up, when: { since: 2025-11-25 } }')).toEqual([
      ['2025-11-25', '2025-11-25'],
    ]);
    expect(
      spans('status: { is: 200, requirement: mcp/up, when: { since: "2024-11-05", until: 2025-06-18 } }'),
    ).toEqual([['2024-11-05', '2025-06-18']]);
  });
});

const expectation = (text: string): string =>
  suiteOf(`- id: one\n  request: { get: /health }\n  expect:\n    ${text}`);
const UP = 'status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up } }';

const mistakes: readonly Mistake[] = [
  {
    what: 'a requirement for no wire',
    text: expectation('status: { is: 200, requirement: «{}» }'),
    code: 'missing-key',
    says: 'the mapping names no wire',
    suggests: 'Add `rest:`, `mcp:` or both.',
  },
  {
    what: 'a misspelt wire',
    text: expectation('status: { is: 200, requirement: { rest: rest/up, «mpc»: mcp/up } }'),
    code: 'unknown-key',
    says: 'unknown key "mpc"',
    suggests: 'Known: rest, mcp.',
  },
  {
    what: 'a requirement that is a list',
    text: expectation('status: { is: 200, requirement: «[rest/up]» }'),
    code: 'wrong-type',
    says: 'expected a mapping with rest, mcp or both, found a list',
    suggests: 'Write a mapping with rest, mcp or both here.',
  },
  {
    what: 'a requirement of one wire that is a number',
    text: expectation('status: { is: 200, requirement: { rest: «12» } }'),
    code: 'wrong-type',
    says: 'expected text, found a number',
    suggests: 'Write text here.',
  },
  {
    what: 'a misspelt requirement of one wire',
    text: expectation('status: { is: 200, requirement: { rest: rest/up, mcp: «mcp/upp» } }'),
    code: 'unknown-requirement',
    says: 'unknown requirement "mcp/upp"',
    suggests: 'Did you mean "mcp/up"?',
  },
  {
    what: 'requirements under the wrong wires',
    text: expectation('status: { is: 200, requirement: { rest: «mcp/up», mcp: «rest/up» } }'),
    code: 'wrong-value',
    says: '/up" is only for ',
    suggests: ', or name another.',
  },
  {
    what: 'requirements per wire and an id',
    text: expectation('status: { is: 200, requirement: { rest: rest/up, mcp: mcp/up }, id: «own» }'),
    code: 'one-of-keys',
    says: 'an assertion has `requirement` or `id`, not both',
    suggests: 'Remove `id`.',
  },
  {
    what: 'an unknown need of one wire',
    text: expectation(
      `${UP}\n    body: [{ at: $, is: {}, id: a, needs: { rest: rest/up, mcp: «mcp/upp» } }]`,
    ),
    code: 'unresolved-reference',
    says: '`needs: mcp/upp` names no assertion of the step "one"',
    suggests: 'Did you mean "mcp/up"?',
  },
  {
    what: 'a need that is decided on the other wire only',
    text: expectation(
      `${UP}\n    body: [{ at: $, is: {}, needs: «rest/up», requirement: { rest: rest/down, mcp: mcp/down } }]`,
    ),
    code: 'unresolved-reference',
    says: '"rest/up" is not decided for mcp',
    suggests: 'Write a mapping with `rest:`, `mcp:` or both.',
  },
  {
    what: 'a need of a wire without an assertion',
    text: expectation(
      `${UP}\n    body: [{ at: $, is: {}, needs: { rest: rest/up, «mcp»: mcp/up }, requirement: rest/down }]`,
    ),
    code: 'unknown-key',
    says: '"mcp" has no effect: the assertion is not made for mcp',
    suggests: 'Remove it.',
  },
  {
    what: 'a circle on one wire',
    text: expectation(
      'body: [«{» at: $, is: {}, id: a, needs: { rest: b, mcp: b } }, «{» at: $, is: {}, id: b, needs: { mcp: a } }]',
    ),
    code: 'circular-needs',
    says: 'needs itself',
    suggests: 'Remove one of these `needs`.',
  },
  {
    what: 'a need on several answers, of one wire',
    text: expectation(
      'checks: [{ check: uptime-never-back, id: back }]\n    body: [{ at: $, is: {}, id: a, needs: { mcp: «back» } }]',
    ),
    code: 'wrong-value',
    says: '`needs: mine/back` names an assertion on several answers of the step',
    suggests: 'Name an assertion on one answer',
  },
  {
    what: 'an unknown requirement to blame on one wire',
    text: expectation(
      `${UP}\n    checks: [{ check: error-body, id: a, blockedBy: { no-answer: { rest: rest/up, mcp: «mcp/upp» } } }]`,
    ),
    code: 'unresolved-reference',
    says: '`no-answer: mcp/upp` under `blockedBy` names no assertion of any step',
    suggests: 'Did you mean "mcp/up"?',
  },
  {
    what: 'nothing to blame',
    text: expectation(`${UP}\n    checks: [{ check: error-body, id: a, blockedBy: { no-answer: «{}» } }]`),
    code: 'missing-key',
    says: 'the mapping names no wire',
    suggests: 'Add `rest:`, `mcp:` or both.',
  },
  {
    what: 'an unknown need of a saved value on one wire',
    text: `${expectation(UP)}    save: { list: { at: $.a, needs: { rest: rest/up, mcp: «rest/down» } } }\n`,
    code: 'unresolved-reference',
    says: '"list" needs "rest/down", which this step does not decide',
    suggests: 'Name an assertion of this step. Known: rest/up, mcp/up.',
  },
  {
    what: 'a revision that is none',
    text: expectation('status: { is: 200, id: ok, when: { since: «draft» } }'),
    code: 'wrong-value',
    says: '"draft" is not a revision of the protocol such as 2025-06-18',
    suggests: 'Write a revision of the protocol such as 2025-06-18.',
  },
  {
    what: 'revisions in the wrong order',
    text: expectation('status: { is: 200, id: ok, when: { since: 2025-11-25, until: «2025-06-18» } }'),
    code: 'wrong-value',
    says: 'no revision is both since 2025-11-25 and until 2025-06-18',
    suggests: 'Exchange them, or remove one.',
  },
  {
    what: 'a revision after the last one of the requirement',
    text: expectation('status: { is: 200, requirement: mcp/up, when: { since: «2026-07-28» } }'),
    code: 'wrong-value',
    says: 'no revision is both since 2026-07-28 and until 2025-11-25',
    suggests: 'Exchange them, or remove one.',
  },
];

test.each(mistakes.map((mistake) => [mistake.what, mistake] as const))('%s is refused', (_, mistake) => {
  const { text, places } = readMarks(mistake.text);
  expect(places).not.toHaveLength(0);
  expect(problemsOf(() => load(text)).map(summaryOf)).toEqual(
    expectedSummaries(mistake, (part) => expect.stringContaining(part)),
  );
});
