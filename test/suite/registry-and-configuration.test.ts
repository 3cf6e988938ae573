import { describe, expect, test } from 'vitest';
import { budgetLines, parseConfig, targetConfigs } from '../../src/suite/config/parse-config.ts';
import { parseRegistry } from '../../src/suite/language/registry.ts';
import {
  expectedSummaries,
  type Mistake,
  problemsOf,
  readMarks,
  suiteErrorOf,
  summaryOf,
} from './loading.ts';

const row = (text: string): string => `registry: v1\nrequirements:\n  - ${text.split('\n').join('\n    ')}\n`;
const words = 'spec: "4.2"\ntext: it answers\nwhy: callers wait.\nfix: answer.';

describe('a registry', () => {
  test('returns its rows by id', () => {
    const text = `${row(`id: health/up\nlevel: MUST\n${words}`)}  - { id: a/b, level: { A: MAY, B: SHOULD }, spec: "-", text: t, why: w, fix: f }\n`;
    expect([...parseRegistry(text, 'r.yaml')]).toEqual([
      [
        'health/up',
        {
          id: 'health/up',
          level: 'MUST',
          spec: '4.2',
          text: 'it answers',
          why: 'callers wait.',
          fix: 'answer.',
        },
      ],
      ['a/b', { id: 'a/b', level: { A: 'MAY', B: 'SHOULD' }, spec: '-', text: 't', why: 'w', fix: 'f' }],
    ]);
  });

  test('has the wire and the revisions of a row', () => {
    const rows = parseRegistry(
      `${row(`id: a/b\nlevel: MUST\nwire: rest\n${words}`)}  - { id: c/d, level: MAY, wire: mcp, since: 2025-06-18, until: "2025-11-25", spec: "-", text: t, why: w, fix: f }\n`,
      'r.yaml',
    );
    expect([...rows.values()]).toMatchObject([
      { wire: 'rest', since: undefined, until: undefined },
      { wire: 'mcp', since: '2025-06-18', until: '2025-11-25' },
    ]);
  });

  const mistakes: readonly Mistake[] = [
    {
      what: 'an unknown wire',
      text: row(`id: a/b\nlevel: MUST\nwire: «soap»\n${words}`),
      code: 'wrong-value',
      says: '"soap" is not one of rest, mcp',
      suggests: 'Known: rest, mcp.',
    },
    {
      what: 'a revision that is none',
      text: row(`id: a/b\nlevel: MUST\nsince: «2025-6-18»\n${words}`),
      code: 'wrong-value',
      says: '"2025-6-18" is not a revision of the protocol such as 2025-06-18',
      suggests: 'Write a revision of the protocol such as 2025-06-18.',
    },
    {
      what: 'revisions in the wrong order',
      text: row(`id: a/b\nlevel: MUST\nsince: 2025-11-25\nuntil: «2025-06-18»\n${words}`),
      code: 'wrong-value',
      says: 'no revision is both since 2025-11-25 and until 2025-06-18',
      suggests: 'Exchange them, or remove one.',
    },
    {
      what: 'a duplicate id',
      text: `${row(`id: a/b\nlevel: MUST\n${words}`)}  - { id: «a/b», level: MAY, spec: "-", text: t, why: w, fix: f }\n`,
      code: 'duplicate-id',
      says: 'duplicate requirement "a/b"',
      suggests: 'Ids are unique and never reused.',
    },
    {
      what: 'an id without an area',
      text: row(`id: «up»\nlevel: MUST\n${words}`),
      code: 'wrong-value',
      says: '"up" is not an id such as health/status-200',
      suggests: 'Write an id such as health/status-200.',
    },
    {
      what: 'an unknown level',
      text: row(`id: a/b\nlevel: «MUSTN»\n${words}`),
      code: 'wrong-value',
      says: '"MUSTN" is not one of MUST, SHOULD, MAY',
      suggests: 'Did you mean "MUST"?',
    },
    {
      what: 'a level for one form only',
      text: row(`id: a/b\nlevel: «{ A: MUST }»\n${words}`),
      code: 'missing-key',
      says: 'a level per wire form has no key "B"',
      suggests: 'Add "B": Level for form B.',
    },
    {
      what: 'a section that is read as a number',
      text: row(`id: a/b\nlevel: MUST\n${words.replace('"4.2"', '«4.2»')}`),
      code: 'wrong-type',
      says: 'expected text, found a number',
      suggests: 'Write text here.',
    },
    {
      what: 'a row without a fix',
      text: `registry: v1\nrequirements: [«{ id: a/b, level: MAY, spec: "-", text: t, why: w }»]`,
      code: 'missing-key',
      says: 'a requirement has no key "fix"',
      suggests: 'Add "fix": How to fix it.',
    },
    {
      what: 'an unknown key of a row',
      text: row(`id: a/b\nlevel: MUST\n«wyh»: x\n${words}`),
      code: 'unknown-key',
      says: 'unknown key "wyh"',
      suggests: 'Known: id, level, spec, text, why, fix, wire, since, until, extra.',
    },
    {
      what: 'no rows',
      text: 'registry: v1\nrequirements: «[]»',
      code: 'wrong-value',
      says: 'the list is empty',
      suggests: 'Add at least 1.',
    },
    {
      what: 'an empty file',
      text: '«\n»',
      code: 'wrong-type',
      says: 'expected a registry, found nothing',
      suggests: 'Write a registry here.',
    },
    {
      what: 'a suite',
      text: '«suite»: v1\nregistry: v1\nrequirements: [{ id: a/b, level: MAY, spec: "-", text: t, why: w, fix: f }]',
      code: 'unknown-key',
      says: 'unknown key "suite"',
      suggests: 'Known: registry, requirements.',
    },
  ];

  test.each(mistakes.map((mistake) => [mistake.what, mistake] as const))('%s', (_, mistake) => {
    expect(problemsOf(() => parseRegistry(readMarks(mistake.text).text, 'r.yaml')).map(summaryOf)).toEqual(
      expectedSummaries(mistake, (part) => expect.stringContaining(part)),
    );
  });
});

describe('a configuration', () => {
  const full = `config: v1
form: B
headers:
  x-plain: text
  x-secret: { env: SECRET }
bearerEnv: TOKEN
samples:
  add: { input: { a: 1 } }
  divide:
    - input: { a: 1, b: 0 }
      fails: true
    - input: {}
suites: [mine.suite.yaml]
only: ["health/*"]
skip: [health/zone]
failOn: should
readOnly: true
maxFunctions: 5
concurrency: 2
deadlineSeconds: 30
timeoutSeconds: 5
latency: { off: false, samples: 40 }
mutating: { default: never, once: [pay, "send-*"], allow: [price] }
budgets:
  health: { p95: 300ms }
  "execute:a.b": { p50: 20x, p99.9: 2s, max: 1.5s }
listing: { responseTime: 120 }
`;

  test('is read with the places of values that are validated later', () => {
    expect(parseConfig(full, 'c.yaml')).toMatchObject({
      config: 'v1',
      form: 'B',
      headers: [
        { key: 'x-plain', value: 'text', place: { line: 4, column: 3 } },
        { key: 'x-secret', value: { env: 'SECRET' }, place: { line: 5, column: 3 } },
      ],
      bearerEnv: 'TOKEN',
      samples: [
        { key: 'add', value: [{ input: { a: 1 } }] },
        { key: 'divide', value: [{ input: { a: 1, b: 0 }, fails: true }, { input: {} }] },
      ],
      suites: [{ value: 'mine.suite.yaml', place: { line: 13, column: 10, length: 15 } }],
      only: ['health/*'],
      skip: ['health/zone'],
      failOn: 'should',
      readOnly: true,
      maxFunctions: 5,
      concurrency: 2,
      deadlineSeconds: 30,
      timeoutSeconds: 5,
      latency: { off: false, samples: 40 },
      mutating: { default: 'never', once: ['pay', 'send-*'], allow: ['price'] },
      listing: { responseTime: 120 },
    });
    expect(budgetLines(parseConfig(full, 'c.yaml')).map(({ line }) => line)).toEqual([
      'health.p95=300ms',
      'execute:a.b.p50=20x',
      'execute:a.b.p99.9=2s',
      'execute:a.b.max=1.5s',
    ]);
  });

  const mistakes: readonly Mistake[] = [
    {
      what: 'a client or provider that there is none',
      text: 'config: v1\nportable: [claude, «openai-strikt»]',
      code: 'wrong-value',
      says: '"openai-strikt" is not one of ',
      suggests: 'Did you mean "openai-strict"?',
    },
    {
      what: 'an unknown key',
      text: 'config: v1\n«deadlineSecond»: 3',
      code: 'unknown-key',
      says: 'unknown key "deadlineSecond"',
      suggests: 'Did you mean "deadlineSeconds"?',
    },
    {
      what: 'no version',
      text: '«form: A»',
      code: 'missing-key',
      says: 'a configuration has no key "config"',
      suggests: 'Begin the file with `config: v1`.',
    },
    {
      what: 'a form in lower case',
      text: 'config: v1\nform: «a»',
      code: 'wrong-value',
      says: '"a" is not one of auto, A, B',
      suggests: 'Did you mean "A"?',
    },
    {
      what: 'a list as a sample input',
      text: 'config: v1\nsamples: { add: [{ input: «[1, 2]» }] }',
      code: 'wrong-type',
      says: 'expected a mapping, found a list',
      suggests: 'Write a mapping here.',
    },
    {
      what: 'a sample without its input',
      text: 'config: v1\nsamples: { add: «{ fails: true }» }',
      code: 'missing-key',
      says: 'a sample has no key "input"',
      suggests: 'Add "input": The input, as an object of named values.',
    },
    {
      what: 'a function without samples',
      text: 'config: v1\nsamples: { add: «[]» }',
      code: 'wrong-value',
      says: 'the list is empty',
      suggests: 'Add at least 1.',
    },
    {
      what: 'a header with a number',
      text: 'config: v1\nheaders: { x-a: «1» }',
      code: 'wrong-type',
      says: 'expected a header from the environment, found a number',
      suggests: 'Write a header from the environment here.',
    },
    {
      what: 'a deadline of a week',
      text: 'config: v1\ndeadlineSeconds: «604800»',
      code: 'wrong-value',
      says: '604800 is not a whole number from 1 to 86400',
      suggests: 'Write a whole number from 1 to 86400.',
    },
    {
      what: 'a budget of an unknown operation',
      text: 'config: v1\nbudgets: { «helth»: { p50: 1s, p95: 2s } }',
      code: 'wrong-value',
      says: '"helth" is not an operation with a budget',
      suggests: 'Name health, capabilities, execute',
    },
    {
      what: 'a budget without a unit',
      text: 'config: v1\nbudgets: { health: { p50: «"300"» } }',
      code: 'wrong-value',
      says: '"300" is not a limit such as 300ms, 2s, or 20x',
      suggests: 'Write a limit such as 300ms',
    },
    {
      what: 'a budget as a number',
      text: 'config: v1\nbudgets: { health: { p50: «300» } }',
      code: 'wrong-type',
      says: 'expected a limit such as 300ms',
      suggests: 'Write a limit such as 300ms',
    },
    {
      what: 'a budget of /health as a multiple of itself',
      text: 'config: v1\nbudgets: { health: { p50: «2x» } }',
      code: 'wrong-value',
      says: 'compares /health with itself',
      suggests: 'such as 300ms',
    },
    {
      what: 'an unknown percentile',
      text: 'config: v1\nbudgets: { health: { «p96»: 1s } }',
      code: 'unknown-key',
      says: 'unknown key "p96"',
      suggests: 'Did you mean "p',
    },
    {
      what: 'a target whose name is not the name of a folder',
      text: 'config: v1\ntargets: [{ name: «../up», url: "http://a.example" }]',
      code: 'wrong-value',
      says: '"../up" is not a name of up to 64 letters',
      suggests: 'Write a name',
    },
    {
      what: 'two targets with names that differ only in case',
      text: 'config: v1\ntargets: [{ name: a, url: "http://a.example" }, { name: «A», url: "http://b.example" }]',
      code: 'wrong-value',
      says: 'two targets are called "A"',
      suggests: 'Give each its own name.',
    },
    {
      what: 'a target without an address',
      text: 'config: v1\ntargets: [{ «name»: a, listing: { responseTime: 5 } }]',
      code: 'wrong-value',
      says: 'the target "a" has no address',
      suggests: 'Add `url`, `mcp`, or a file as `listing`.',
    },
    {
      what: 'a target with two servers',
      text: 'config: v1\ntargets: [{ name: a, mcp: node a.js, «start»: node b.js }]',
      code: 'wrong-value',
      says: '`start` and `mcp` name two servers',
      suggests: 'Remove one of the two.',
    },
    {
      what: 'a budget of a target',
      text: 'config: v1\ntargets: [{ name: a, url: "http://a.example", budgets: { health: { p50: «2x» } } }]',
      code: 'wrong-value',
      says: 'compares /health with itself',
      suggests: 'such as 300ms',
    },
    {
      what: 'a level that cannot fail a run',
      text: 'config: v1\nfailOn: «may»',
      code: 'wrong-value',
      says: '"may" is not one of must, should',
      suggests: 'Known: must, should.',
    },
    {
      what: 'a list',
      text: '«- config: v1»',
      code: 'wrong-type',
      says: 'expected a configuration, found a list',
      suggests: 'Write a configuration here.',
    },
    {
      what: 'a tag',
      text: 'config: v1\nbearerEnv: «!env» TOKEN',
      code: 'custom-tag',
      says: 'custom tags are not part of the language',
      suggests: 'Remove the tag and write a plain value.',
    },
  ];

  test.each(mistakes.map((mistake) => [mistake.what, mistake] as const))('%s', (_, mistake) => {
    expect(problemsOf(() => parseConfig(readMarks(mistake.text).text, 'c.yaml')).map(summaryOf)).toEqual(
      expectedSummaries(mistake, (part) => expect.stringContaining(part)),
    );
  });

  test('gives each target its own settings, and the shared ones otherwise', () => {
    const text = `config: v1
bearerEnv: SHARED
only: ["health/*"]
targets:
  - { name: a, url: "http://a.example", bearerEnv: OWN }
  - { name: b, mcp: node b.js, env: [B_KEY], only: [] }
`;
    const targets = targetConfigs(parseConfig(text, 'c.yaml'));
    expect(targets).toMatchObject([
      { name: 'a', url: 'http://a.example', config: { bearerEnv: 'OWN', only: ['health/*'] } },
      { name: 'b', mcp: 'node b.js', env: ['B_KEY'], config: { bearerEnv: 'SHARED', only: [] } },
    ]);
    expect(targetConfigs(parseConfig('config: v1', 'c.yaml'))).toEqual([]);
  });

  test('reports all mistakes at once, in the order of the text', () => {
    expect(
      suiteErrorOf(() => parseConfig('config: v2\nform: C\nforms: A\ntimeoutSeconds: 0\n', 'c.yaml')).message,
    ).toBe(
      `c.yaml:1:9: "v2" is not "v1" [wrong-value]
  1 | config: v2
    |         ^^
  Did you mean "v1"?

c.yaml:2:7: "C" is not one of auto, A, B [wrong-value]
  2 | form: C
    |       ^
  Did you mean "A"?

c.yaml:3:1: unknown key "forms" [unknown-key]
  3 | forms: A
    | ^^^^^
  Did you mean "form"?

c.yaml:4:17: 0 is not a whole number from 1 to 86400 [wrong-value]
  4 | timeoutSeconds: 0
    |                 ^
  Write a whole number from 1 to 86400.`,
    );
  });
});
