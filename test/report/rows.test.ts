import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import { blocked } from '../../src/judge/not-judged.ts';
import { OUTCOME_ORDER } from '../../src/judge/worst.ts';
import {
  type Finding,
  failed,
  inapplicable,
  type Judgement,
  passed,
  type Row,
  UNDECIDED_CAUSES,
  type UndecidedCause,
  undecided,
  type Verdict,
} from '../../src/model/judgement.ts';
import type { Level, LevelByTarget } from '../../src/model/requirement.ts';
import { againCommand } from '../../src/report/again-command.ts';
import { withExchanges } from '../../src/report/build-report.ts';
import { buildFindings, buildRows, summarise, verdictOf } from '../../src/report/rows.ts';
import { EXCHANGES } from './formats/cells.ts';
import { judgement, ROW_KINDS, type RowKind, row } from './results.ts';

/** Without a selection of the user. */
const WHOLE = { only: [] };

const evidence = { message: 'm', expected: 'e', received: 'r' };
const findingOf: Readonly<Record<Finding['outcome'], Finding>> = {
  passed,
  failed: failed(evidence),
  undecided: undecided(evidence),
  blocked: blocked('a/other'),
  inapplicable: inapplicable('not here'),
};
const planned = (...ids: readonly string[]) =>
  new Map(ids.map((id) => [id, { id, level: 'MUST' as LevelByTarget, spec: '1', text: 'it is so' }]));
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

const causes = UNDECIDED_CAUSES.map((because) => [because] as const);
/** A judgement of a row, about this function or about the server. */
type About = readonly [requirement: string, finding: Finding, name?: string | undefined];
const about = ([requirement, finding, name]: About): Judgement =>
  judgement(requirement, finding, { subject: name ?? null });
const rowIn = (plan: readonly string[], given: readonly About[], id = 'a/own'): Row | undefined =>
  buildRows(planned(...plan), given.map(about), formA).find((one) => one.id === id);

describe('what is open for one function', () => {
  const both = ['a/own', 'a/other'];
  const seen: About = ['a/own', passed, 'f'];
  const open: About = ['a/own', blocked('a/other'), 'g'];
  const notExercised = undecided({ ...evidence, because: 'not-exercised' });

  test('because it was not exercised leaves the row passed, and says on how many it is decided', () => {
    const decided = { outcome: 'passed', decidedOn: { functions: 1, of: 2 } };
    expect(rowIn(both, [seen, ['a/own', notExercised, 'g']])).toMatchObject(decided);
    expect(rowIn(both, [seen, open, ['a/other', notExercised, 'g']])).toMatchObject(decided);
    expect(rowIn(['a/own'], [seen, open, ['a/other', notExercised, 'g']])).toMatchObject(decided);
  });

  test.each(causes.filter(([because]) => because !== 'not-exercised'))(
    'because it was %s does not',
    (because) => {
      const finding = undecided({ ...evidence, because });
      const own = rowIn(both, [seen, ['a/own', finding, 'g']]);
      expect(own).toMatchObject({ outcome: 'undecided', because });
      const caused = rowIn(both, [seen, open, ['a/other', finding, 'g']]);
      expect(caused).toMatchObject({ outcome: 'undecided', because, blockedBy: 'a/other' });
    },
  );

  test('because another row failed leaves the row passed: that one is reported', () => {
    for (const name of ['g', undefined])
      expect(rowIn(both, [seen, open, ['a/other', findingOf.failed, name]])).toMatchObject({
        outcome: 'passed',
        decidedOn: { functions: 1, of: 2 },
      });
  });

  test('because another row failed is open if that row is not in the run, or is the row itself', () => {
    const isOpen = { outcome: 'undecided', blockedBy: 'a/other' };
    expect(rowIn(['a/own'], [seen, open, ['a/other', findingOf.failed]])).toMatchObject(isOpen);
    const itself: About = ['a/own', blocked('a/own'), 'g'];
    expect(rowIn(both, [seen, itself, ['a/other', findingOf.failed]])).toMatchObject({
      outcome: 'undecided',
      blockedBy: 'a/own',
    });
  });

  test('is open if nothing says why', () => {
    expect(rowIn(both, [seen, open, ['a/other', passed]])).toMatchObject({ outcome: 'undecided' });
    expect(rowIn(both, [seen, open])).toMatchObject({ outcome: 'undecided' });
  });

  test('because another row failed is open for the server, and for the function that passed a part of it', () => {
    const ofServer: About = ['a/own', blocked('a/other')];
    const failing: About = ['a/other', findingOf.failed];
    for (const given of [
      [['a/own', passed], ofServer],
      [seen, ofServer],
      [seen, ['a/own', blocked('a/other'), 'f']],
    ] as const satisfies readonly (readonly About[])[])
      expect(rowIn(both, [...given, failing])).toMatchObject({ outcome: 'undecided', blockedBy: 'a/other' });
  });

  test('does not pass a row that no function showed', () => {
    expect(rowIn(both, [open, ['a/other', notExercised, 'g']])).toEqual({
      id: 'a/own',
      level: 'MUST',
      spec: '1',
      text: 'it is so',
      outcome: 'undecided',
      because: 'not-exercised',
      blockedBy: 'a/other',
    });
  });
});

describe('the cause of a blocked row', () => {
  const chain = ['a/own', 'a/middle', 'a/root'];
  const links = (name?: string): readonly About[] => [
    ['a/own', blocked('a/middle'), name],
    ['a/middle', blocked('a/root'), name],
  ];
  const because = (cause: UndecidedCause): Finding => undecided({ ...evidence, because: cause });
  const causeOf = (given: readonly About[]) => rowIn(chain, given)?.because;

  test.each(causes)('is that of its root: %s', (cause) => {
    expect(causeOf([...links('f'), ['a/root', because(cause), 'f']])).toBe(cause);
    expect(causeOf([...links(), ['a/root', because(cause)]])).toBe(cause);
  });

  test('is looked up for the same function, then for the server, then for all', () => {
    const ofServer: About = ['a/root', because('turned-away')];
    const ofOther: About = ['a/root', because('cut-short'), 'g'];
    expect(causeOf([...links('f'), ['a/root', because('not-exercised'), 'f'], ofServer, ofOther])).toBe(
      'not-exercised',
    );
    expect(causeOf([...links('f'), ofServer, ofOther])).toBe('turned-away');
    expect(causeOf([...links('f'), ofOther])).toBe('cut-short');
  });

  test('is the gravest of several, and none if the root failed', () => {
    const all = UNDECIDED_CAUSES.map((cause): About => ['a/root', because(cause), 'f']);
    expect(causeOf([...links('f'), ...all])).toBe('cut-short');
    expect(causeOf([...links('f'), ...all.slice(0, 2)])).toBe('turned-away');
    expect(rowIn(chain, [...links('f'), ...all, ['a/root', findingOf.failed, 'f']])).toMatchObject({
      outcome: 'undecided',
      blockedBy: 'a/middle',
    });
    expect(causeOf([...links('f'), ...all, ['a/root', findingOf.failed, 'f']])).toBeUndefined();
  });

  test('is unknown where rows block each other', () => {
    const circle: readonly About[] = [
      ['a/own', blocked('a/middle'), 'f'],
      ['a/middle', blocked('a/own'), 'f'],
    ];
    expect(rowIn(chain, circle)).toMatchObject({ outcome: 'undecided', blockedBy: 'a/middle' });
    expect(causeOf(circle)).toBeUndefined();
  });
});

describe('the rows of any judgements', () => {
  const IDS = ['a/1', 'a/2', 'a/3'];
  const anyFinding = fc.oneof(
    fc.constantFrom<Finding>(passed, passed, findingOf.failed, findingOf.inapplicable),
    fc.constantFrom(...UNDECIDED_CAUSES).map((because): Finding => undecided({ ...evidence, because })),
  );
  // A row is blocked by a later one only: without circles, the order of the judgements says nothing.
  const anyAbout = fc
    .nat(IDS.length - 1)
    .chain((index) =>
      fc.tuple(
        fc.constant(IDS[index] ?? ''),
        index === IDS.length - 1
          ? anyFinding
          : fc.oneof(anyFinding, fc.constantFrom(...IDS.slice(index + 1)).map(blocked)),
        fc.constantFrom('f', 'g', 'h', undefined),
      ),
    );
  const anyJudgements = fc.array(anyAbout, { minLength: 1, maxLength: 12 });
  const rowsOf = (given: readonly About[]) => buildRows(planned(...IDS), given.map(about), formA);
  const outcomesIn = (given: readonly About[], id: string) =>
    given.flatMap(([requirement, finding]) => (requirement === id ? [finding.outcome] : []));

  test('a failure that was seen is reported, and nothing else is a failure', () => {
    fc.assert(
      fc.property(anyJudgements, (given) => {
        for (const { id, outcome } of rowsOf(given))
          expect(outcome === 'failed').toBe(outcomesIn(given, id).includes('failed'));
      }),
    );
  });

  test('a row passes only if an answer showed it, and nothing was cut short or turned away', () => {
    fc.assert(
      fc.property(anyJudgements, (given) => {
        for (const { id, outcome } of rowsOf(given)) {
          if (outcome !== 'passed') continue;
          expect(outcomesIn(given, id)).toContain('passed');
          for (const [requirement, finding] of given)
            if (requirement === id && finding.outcome === 'undecided')
              expect(finding.because).toBe('not-exercised');
        }
      }),
    );
  });

  test('a row that one function showed passes, whatever other functions could not show', () => {
    fc.assert(
      fc.property(anyJudgements, fc.constantFrom('f', 'g', undefined), (given, name) => {
        const gaps = given.filter(
          ([id, finding]) =>
            id === 'a/3' && (finding.outcome !== 'undecided' || finding.because === 'not-exercised'),
        );
        const judged: readonly About[] = [
          ['a/3', passed, name],
          ...gaps.filter(([, { outcome }]) => outcome !== 'failed'),
        ];
        const row = rowsOf(judged)[2];
        expect(row?.outcome).toBe('passed');
        const relevant = judged.filter(([, { outcome }]) => outcome !== 'inapplicable');
        const functions = (all: readonly About[]) => new Set(all.flatMap(([, , one]) => one ?? [])).size;
        const of = functions(relevant);
        expect(row?.decidedOn).toEqual(
          of === 0
            ? undefined
            : { functions: functions(relevant.filter(([, { outcome }]) => outcome === 'passed')), of },
        );
      }),
    );
  });

  test('an undecided row says why, or by which row it is blocked; others say neither', () => {
    fc.assert(
      fc.property(anyJudgements, (given) => {
        for (const { outcome, because, blockedBy } of rowsOf(given))
          expect(because !== undefined || blockedBy !== undefined).toBe(outcome === 'undecided');
      }),
    );
  });

  test('do not depend on the order of the judgements', () => {
    fc.assert(
      fc.property(anyJudgements, (given) => {
        const inBrief = (all: readonly About[]) =>
          rowsOf(all).map(({ outcome, because, decidedOn }) => ({ outcome, because, decidedOn }));
        expect(inBrief(given.toReversed())).toEqual(inBrief(given));
      }),
    );
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
        because: 'cut-short',
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
          expect(rows.map((one) => one.outcome)).toEqual([outcome === 'blocked' ? 'undecided' : outcome]);
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
      { id: 'a', level: 'MUST', spec: '1', text: 'it is so', outcome: 'undecided', blockedBy: 'a/other' },
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
    kind: fc.constantFrom(...ROW_KINDS),
    level: fc.constantFrom<Level>('MUST', 'SHOULD', 'MAY'),
  }),
);

describe('the summary', () => {
  test('counts each row once', () => {
    fc.assert(
      fc.property(someRows, fc.constantFrom<Level>('MUST', 'SHOULD'), (parts, failOn) => {
        const summary = summarise(
          parts.map(({ kind, level }, index) => row(`a/${index}`, kind, { level })),
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
  test.each<[string, readonly (readonly [RowKind, Level])[], Level, Verdict]>([
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
    [
      'something that no function that was exercised shows',
      [
        ['passed', 'MUST'],
        ['not-exercised', 'MUST'],
      ],
      'MUST',
      'pass',
    ],
    [
      'nothing passed, and functions that were not exercised',
      [['not-exercised', 'MUST']],
      'MUST',
      'incomplete',
    ],
    ['nothing passed', [['inapplicable', 'MUST']], 'MUST', 'incomplete'],
    ['nothing passed, and a warning', [['failed', 'SHOULD']], 'MUST', 'incomplete'],
    ['nothing at all', [], 'MUST', 'incomplete'],
  ])('%s', (_, parts, failOn, verdict) => {
    const results = parts.map(([kind, level], index) => row(`a/${index}`, kind, { level }));
    expect(verdictOf({ results, summary: summarise(results, failOn) }, WHOLE)).toBe(verdict);
  });

  test.each([
    ['turned away', { because: 'turned-away' }, 'incomplete'],
    ['cut short', { because: 'cut-short' }, 'incomplete'],
    ['accepted by the baseline', { because: 'cut-short', accepted: true }, 'pass'],
  ] as const)('something %s', (_, parts, verdict) => {
    const results = [row('a/1', 'passed'), row('a/2', 'undecided', parts)];
    expect(verdictOf({ results, summary: summarise(results, 'MUST') }, WHOLE)).toBe(verdict);
  });

  test.each([
    ['only warnings', [row('a/1', 'failed', { level: 'SHOULD' })], 'pass'],
    ['nothing that applies', [row('a/1', 'inapplicable')], 'incomplete'],
    [
      'a warning and something undecided',
      [row('a/1', 'failed', { level: 'SHOULD' }), row('a/2', 'undecided')],
      'incomplete',
    ],
  ] as const)('of a selection with %s', (_, results, verdict) => {
    expect(verdictOf({ results, summary: summarise(results, 'MUST') }, { only: ['a/*'] })).toBe(verdict);
  });

  test('fails for a problem of the baseline', () => {
    const results = [row('a/1', 'passed')];
    const problem = { kind: 'gone', requirement: 'a/2', message: 'gone' } as const;
    expect(verdictOf({ results, summary: summarise(results, 'MUST') }, WHOLE, [problem])).toBe('fail');
  });

  test('passes only if something passed, nothing else is open, and enough functions were exercised', () => {
    const anyCoverage = fc.option(
      fc.record({ exercised: fc.nat(3), needed: fc.integer({ min: 1, max: 3 }) }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(someRows, anyCoverage, (parts, reached) => {
        const results = parts.map(({ kind, level }, index) => row(`a/${index}`, kind, { level }));
        const coverage =
          reached === undefined ? {} : { coverage: { listed: 3, excluded: 0, notExercised: [], ...reached } };
        const verdict = verdictOf({ results, summary: summarise(results, 'MUST'), ...coverage }, WHOLE);
        const open = parts.some(({ kind }) => kind === 'blocked' || kind === 'undecided');
        const broken = parts.some(({ kind, level }) => kind === 'failed' && level === 'MUST');
        const some = parts.some(({ kind }) => kind === 'passed');
        const isCovered = reached === undefined || reached.exercised >= reached.needed;
        expect(verdict === 'pass').toBe(some && !open && !broken && isCovered);
        expect(verdict === 'fail').toBe(broken);
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
      ...OUTCOME_ORDER.map((outcome) => judgement('a', findingOf[outcome])),
      judgement('x', findingOf.failed),
    );
    expect(found.map(({ id, outcome, because, fault }) => [id, outcome, because, fault])).toEqual([
      ['a', 'failed', undefined, 'server'],
      ['a', 'undecided', 'cut-short', 'harness'],
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
        subject: null,
        ...evidence,
        where: { suite: 's.yaml', line: 1, column: 1, step: 'health/read', pointer: '/x' },
        request: { method: 'GET', url: 'http://target.example/x' },
        curl: 'curl x',
        check: 'probity check http://target.example --only a --fail-on should --seed 7',
        why: 'why',
        fix: 'fix',
        spec: '4.2',
        fault: 'server',
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ]);
  });

  test('name the function that they are about, and why they are undecided', () => {
    const found = build(
      judgement('a', undecided({ ...evidence, because: 'turned-away' }), { subject: 'add' }),
    );
    expect(found).toMatchObject([{ outcome: 'undecided', because: 'turned-away', subject: 'add' }]);
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

  test('the command to check again fails as long as a SHOULD is broken, and takes no other level', () => {
    const of = (level: Level, outcome: 'failed' | 'undecided') =>
      build(judgement('a', findingOf[outcome], { level }))[0]?.check;
    expect(of('SHOULD', 'failed')).toContain(' --fail-on should ');
    expect(of('SHOULD', 'undecided')).not.toContain('--fail-on');
    for (const level of ['MUST', 'MAY'] as const) expect(of(level, 'failed')).not.toContain('--fail-on');
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
