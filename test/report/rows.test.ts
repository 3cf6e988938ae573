import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/app/run-settings.ts';
import { blocked } from '../../src/judge/not-judged.ts';
import { OUTCOME_ORDER } from '../../src/judge/worst.ts';
import {
  type Finding,
  failed,
  inapplicable,
  undecided,
  OUTCOMES,
  type Outcome,
  passed,
  type Verdict,
} from '../../src/model/judgement.ts';
import type { Level, LevelByForm } from '../../src/model/requirement.ts';
import { againCommand } from '../../src/report/again-command.ts';
import { withExchanges } from '../../src/report/row-exchanges.ts';
import { buildFindings, buildRows, summarise, verdictOf } from '../../src/report/rows.ts';
import { EXCHANGES } from './formats/cells.ts';
import { judgement, row } from './results.ts';

const evidence = { message: 'm', expected: 'e', received: 'r' };
const findingOf: Readonly<Record<Outcome, Finding>> = {
  passed,
  failed: failed(evidence),
  undecided: undecided(evidence),
  blocked: blocked('a/other'),
  inapplicable: inapplicable('not here'),
};
const planned = (...ids: readonly string[]) =>
  new Map(ids.map((id) => [id, { id, level: 'MUST' as LevelByForm, spec: '1', text: 'it is so' }]));
const formA = { form: 'A' } as const;

test('a row has the first, the number and the time of its exchanges, each counted once', () => {
  const at = (exchange: string) => ({ where: { ...judgement('a', passed).where, exchange } });
  const judgements = [
    judgement('a', passed, at('health/read#0')),
    judgement('a', passed, at('health/read#0')),
    judgement('a', passed, at('execute/call[add]#0')),
    judgement('b', blocked('a'), at('health/read#0')),
    judgement('c', passed),
  ];
  const rows = [row('a', 'passed'), row('b', 'blocked'), row('c', 'passed')];
  const [first, ...others] = withExchanges(rows, judgements, EXCHANGES);
  expect(first).toMatchObject({ durationMs: 9.5, decidedBy: { exchange: 'health/read#0', count: 2 } });
  expect(others).toEqual(rows.slice(1));
});

describe('what is blocked for one function by a planned row', () => {
  const of = (name: string) => ({ where: { ...judgement('a', passed).where, function: name } });
  const outcomeOf = (
    plan: readonly string[],
    own: readonly [Finding, string?][],
    cause: readonly Finding[],
  ) =>
    buildRows(
      planned(...plan),
      [
        ...own.map(([finding, name]) => judgement('a/own', finding, name === undefined ? {} : of(name))),
        ...cause.map((finding) => judgement('a/other', finding)),
      ],
      formA,
    ).find(({ id }) => id === 'a/own')?.outcome;
  const both = ['a/own', 'a/other'];
  const { blocked: open, undecided: undecided } = findingOf;

  test('leaves the row passed by another one: the cause says what is open', () => {
    expect(
      outcomeOf(
        both,
        [
          [passed, 'f'],
          [open, 'g'],
        ],
        [passed, undecided],
      ),
    ).toBe('passed');
    expect(
      outcomeOf(
        both,
        [
          [passed, 'f'],
          [open, 'g'],
        ],
        [findingOf.failed],
      ),
    ).toBe('passed');
  });

  test('hides neither a failure nor what the row itself leaves open', () => {
    const more = (finding: Finding) =>
      outcomeOf(
        both,
        [
          [passed, 'f'],
          [open, 'g'],
          [finding, 'h'],
        ],
        [undecided],
      );
    expect(more(findingOf.failed)).toBe('failed');
    expect(more(undecided)).toBe('undecided');
  });

  test('blocks the row if it is about the server, or about the function that passed a part of it', () => {
    expect(outcomeOf(both, [[passed], [open]], [undecided])).toBe('blocked');
    expect(outcomeOf(both, [[passed, 'f'], [open]], [undecided])).toBe('blocked');
    expect(
      outcomeOf(
        both,
        [
          [passed, 'f'],
          [open, 'f'],
        ],
        [undecided],
      ),
    ).toBe('blocked');
  });

  test('blocks the row if nothing else decides it, or no other row says what is open', () => {
    expect(outcomeOf(both, [[open, 'g']], [undecided])).toBe('blocked');
    expect(
      outcomeOf(
        ['a/own'],
        [
          [passed, 'f'],
          [open, 'g'],
        ],
        [undecided],
      ),
    ).toBe('blocked');
    expect(
      outcomeOf(
        both,
        [
          [passed, 'f'],
          [open, 'g'],
        ],
        [passed],
      ),
    ).toBe('blocked');
    expect(
      outcomeOf(
        both,
        [
          [passed, 'f'],
          [blocked('a/own'), 'g'],
        ],
        [undecided],
      ),
    ).toBe('blocked');
  });
});

describe('rows', () => {
  test('every planned requirement once, in the order of the plan', () => {
    const judgements = [
      judgement('b', passed),
      judgement('a', passed),
      judgement('b', passed),
      judgement('not-planned', passed),
    ];
    expect(
      buildRows(planned('a', 'b'), judgements, formA).map(({ id, outcome }) => `${id} ${outcome}`),
    ).toEqual(['a passed', 'b passed']);
  });

  test('a planned requirement without a judgement is undecided, with the cause', () => {
    expect(buildRows(planned('a'), [], formA)).toEqual([
      {
        id: 'a',
        level: 'MUST',
        spec: '1',
        text: 'it is so',
        outcome: 'undecided',
        reason: 'nothing was judged: a defect of the harness',
      },
    ]);
  });

  test('the worst of several judgements counts, in any order', () => {
    for (const [index, outcome] of OUTCOME_ORDER.entries()) {
      for (const lesser of OUTCOME_ORDER.slice(index)) {
        for (const found of [
          [findingOf[outcome], findingOf[lesser]],
          [findingOf[lesser], findingOf[outcome]],
        ]) {
          const rows = buildRows(
            planned('a'),
            found.map((one) => judgement('a', one)),
            formA,
          );
          expect(rows.map((one) => one.outcome)).toEqual([outcome]);
        }
      }
    }
  });

  test('names the blocking requirement and the reason why a row does not apply', () => {
    expect(
      buildRows(
        planned('a', 'b'),
        [judgement('a', findingOf.blocked), judgement('b', findingOf.inapplicable)],
        formA,
      ),
    ).toEqual([
      { id: 'a', level: 'MUST', spec: '1', text: 'it is so', outcome: 'blocked', blockedBy: 'a/other' },
      { id: 'b', level: 'MUST', spec: '1', text: 'it is so', outcome: 'inapplicable', reason: 'not here' },
    ]);
  });

  test.each<[{ readonly form: 'A' | 'B' } | { readonly form: null; readonly because: string }, Level]>([
    [{ form: 'A' }, 'SHOULD'],
    [{ form: 'B' }, 'MUST'],
    [{ form: null, because: 'x' }, 'MUST'],
  ])('the level is that of the form: %j', (form, level) => {
    const byForm = new Map([
      ['a', { id: 'a', level: { A: 'SHOULD', B: 'MUST' } as const, spec: '1', text: '' }],
    ]);
    expect(buildRows(byForm, [], form)[0]?.level).toBe(level);
  });

  test('the level of a judgement takes precedence', () => {
    expect(buildRows(planned('a'), [judgement('a', passed, { level: 'MAY' })], formA)[0]?.level).toBe('MAY');
  });
});

const someRows = fc.array(
  fc.record({
    outcome: fc.constantFrom(...OUTCOMES),
    level: fc.constantFrom<Level>('MUST', 'SHOULD', 'MAY'),
  }),
);

describe('the summary', () => {
  test('counts each row once', () => {
    fc.assert(
      fc.property(someRows, fc.constantFrom<Level>('MUST', 'SHOULD'), (parts, failOn) => {
        const summary = summarise(
          parts.map(({ outcome, level }, index) => row(`a/${index}`, outcome, { level })),
          failOn,
        );
        expect(Object.values(summary).reduce((sum, count) => sum + count, 0)).toBe(parts.length);
      }),
    );
  });

  test.each<[Level, Level, 'failed' | 'warnings']>([
    ['MUST', 'MUST', 'failed'],
    ['SHOULD', 'MUST', 'warnings'],
    ['MAY', 'MUST', 'warnings'],
    ['MUST', 'SHOULD', 'failed'],
    ['SHOULD', 'SHOULD', 'failed'],
    ['MAY', 'SHOULD', 'warnings'],
  ])('a failed %s with --fail-on %s is among the %s', (level, failOn, counted) => {
    const summary = summarise([row('a', 'failed', { level })], failOn);
    expect(summary).toMatchObject({ failed: 0, warnings: 0, [counted]: 1 });
  });
});

describe('the verdict', () => {
  test.each<[string, readonly (readonly [Outcome, Level])[], Level, Verdict]>([
    [
      'all passed',
      [
        ['passed', 'MUST'],
        ['passed', 'MAY'],
      ],
      'MUST',
      'pass',
    ],
    [
      'passed, and something that does not apply',
      [
        ['passed', 'MUST'],
        ['inapplicable', 'MUST'],
      ],
      'MUST',
      'pass',
    ],
    [
      'a warning only',
      [
        ['passed', 'MUST'],
        ['failed', 'SHOULD'],
      ],
      'MUST',
      'pass',
    ],
    [
      'the same if warnings fail the run',
      [
        ['passed', 'MUST'],
        ['failed', 'SHOULD'],
      ],
      'SHOULD',
      'fail',
    ],
    [
      'a MAY never fails a run',
      [
        ['passed', 'MUST'],
        ['failed', 'MAY'],
      ],
      'SHOULD',
      'pass',
    ],
    [
      'one failure',
      [
        ['passed', 'MUST'],
        ['failed', 'MUST'],
      ],
      'MUST',
      'fail',
    ],
    [
      'a failure counts more than what is undecided',
      [
        ['blocked', 'MUST'],
        ['failed', 'MUST'],
      ],
      'MUST',
      'fail',
    ],
    [
      'something blocked',
      [
        ['passed', 'MUST'],
        ['blocked', 'MAY'],
      ],
      'MUST',
      'incomplete',
    ],
    [
      'something undecided',
      [
        ['passed', 'MUST'],
        ['undecided', 'MAY'],
      ],
      'MUST',
      'incomplete',
    ],
    ['nothing passed', [['inapplicable', 'MUST']], 'MUST', 'incomplete'],
    ['nothing passed, and a warning', [['failed', 'SHOULD']], 'MUST', 'incomplete'],
    ['nothing at all', [], 'MUST', 'incomplete'],
  ])('%s', (_, parts, failOn, verdict) => {
    expect(
      verdictOf(
        summarise(
          parts.map(([outcome, level], index) => row(`a/${index}`, outcome, { level })),
          failOn,
        ),
      ),
    ).toBe(verdict);
  });

  test('passes only if something passed and nothing is open', () => {
    fc.assert(
      fc.property(someRows, (parts) => {
        const summary = summarise(
          parts.map(({ outcome, level }, index) => row(`a/${index}`, outcome, { level })),
          'MUST',
        );
        const open = parts.some(({ outcome }) => outcome === 'blocked' || outcome === 'undecided');
        const broken = parts.some(({ outcome, level }) => outcome === 'failed' && level === 'MUST');
        const some = parts.some(({ outcome }) => outcome === 'passed');
        expect(verdictOf(summary) === 'pass').toBe(some && !open && !broken);
        expect(verdictOf(summary) === 'fail').toBe(broken);
      }),
    );
  });
});

describe('findings', () => {
  const settings = settingsOf({ seed: 7 });
  const build = (...judgements: Parameters<typeof buildFindings>[1]) =>
    buildFindings(planned('a', 'b'), judgements, 'http://target.example', settings);

  test('are the failed and undecided judgements of planned requirements', () => {
    const found = build(
      ...OUTCOMES.map((outcome) => judgement('a', findingOf[outcome])),
      judgement('x', findingOf.failed),
    );
    expect(found.map(({ id, outcome, fault }) => [id, outcome, fault])).toEqual([
      ['a', 'failed', 'server'],
      ['a', 'undecided', 'harness'],
    ]);
  });

  test('have all members', () => {
    const one = judgement('a', failed({ ...evidence, pointer: '/x', exchangeKey: 'k' }), {
      level: 'SHOULD',
      curl: 'curl x',
      request: { method: 'GET', url: 'http://target.example/x' },
    });
    expect(build(one)).toEqual([
      {
        id: 'a',
        level: 'SHOULD',
        severity: 'warning',
        outcome: 'failed',
        ...evidence,
        where: { suite: 's.yaml', line: 1, column: 1, step: 'health/read', pointer: '/x' },
        request: { method: 'GET', url: 'http://target.example/x' },
        curl: 'curl x',
        check: 'probity check http://target.example --only a --seed 7',
        why: 'why',
        fix: 'fix',
        spec: '4.2',
        fault: 'server',
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ]);
  });

  test('the remedy of the case takes precedence over that of the requirement', () => {
    expect(build(judgement('a', failed({ ...evidence, advice: 'do this' })))[0]?.fix).toBe('do this');
  });

  test('the same on a repeated answer counts once; another pointer, message, function or case is another', () => {
    const where = { suite: 's.yaml', line: 1, column: 1, step: 'health/read' };
    const found = build(
      judgement('a', findingOf.failed, { where: { ...where, exchange: 'k#0' } }),
      judgement('a', failed({ ...evidence, received: 'other' }), { where: { ...where, exchange: 'k#1' } }),
      judgement('a', failed({ ...evidence, pointer: '/x' })),
      judgement('a', failed({ ...evidence, message: 'other' })),
      judgement('a', findingOf.failed, { where: { ...where, function: 'add' } }),
      judgement('a', findingOf.failed, { where: { ...where, function: 'add', case: 'zero' } }),
      judgement('b', findingOf.failed),
    );
    expect(found).toHaveLength(6);
  });

  test('the command to check again is safe in a shell and repeats the form', () => {
    const [found] = buildFindings(
      planned('a'),
      [judgement('a', findingOf.failed)],
      "http://x.example/a;$(id)'",
      settingsOf({ seed: 7, form: 'B' }),
    );
    expect(found?.check).toBe(`probity check 'http://x.example/a;$(id)'\\''' --only a --form B --seed 7`);
  });

  test('names the variable of the token, quoted if necessary', () => {
    const again = (bearerEnv: string): string =>
      againCommand('a', 'http://x.example', settingsOf({ seed: 7, bearerToken: 'canary', bearerEnv }));
    expect(again('KEY')).toBe('probity check http://x.example --only a --bearer-env KEY --seed 7');
    expect(again('$(id)')).toBe("probity check http://x.example --only a --bearer-env '$(id)' --seed 7");
  });

  test('and times requirements in the same way', () => {
    const settings = settingsOf({
      seed: 7,
      latency: { samples: 400, budgets: ['health.p95=300ms', 'execute:a b.p50=20x'] },
    });
    const again = (requirement: string): string => againCommand(requirement, 'http://x.example', settings);
    expect(again('performance/health-latency')).toBe(
      "probity check http://x.example --only performance/health-latency --samples 400 --budget health.p95=300ms --budget 'execute:a b.p50=20x' --seed 7",
    );
    expect(again('health/status-200')).toBe(
      'probity check http://x.example --only health/status-200 --seed 7',
    );
  });
});
