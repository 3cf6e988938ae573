import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/model/arguments.ts';
import { PROFILE_IDS } from '../../src/model/profile.ts';
import type { McpServer } from '../../src/model/report.ts';
import { textFor } from '../../src/model/requirement.ts';
import { chooseEvenly } from '../../src/run/calls/expand.ts';
import {
  changesSomething,
  listingWanted,
  type SelectionOptions,
  selectSteps,
} from '../../src/run/steps/selection.ts';
import { isLister, listerOf, prerequisitesOf } from '../../src/run/steps/step-order.ts';
import { parseProductSuites } from '../../src/suite/read-yaml.ts';
import { contract } from '../contract/contracts.ts';
import { loadText, product } from '../suite/loading.ts';

const all: SelectionOptions = { only: [], skip: [], readOnly: false, latency: { off: false, budgets: [] } };
const select = (options: Partial<SelectionOptions>) => selectSteps(product.suites, { ...all, ...options });
const idsOf = (options: Partial<SelectionOptions>) => [...select(options).requirements.keys()];
const stepsOf = (options: Partial<SelectionOptions>) => select(options).steps.map(({ id }) => id);

const SUBJECT: McpServer = {
  address: 'node server.js',
  channel: 'stdio',
  era: 'auto',
  startTimeoutMs: 60_000,
};
const ofMcp = [...product.suites, ...parseProductSuites('mcp', product.registry)];
const selectOfMcp = (options: Partial<SelectionOptions>) => selectSteps(ofMcp, { ...all, ...options });
const idsOfMcp = (options: Partial<SelectionOptions>) => [...selectOfMcp(options).requirements.keys()];

describe('requirements', () => {
  test('all of them, each once, in the order of the suites, each in the suite of its area', () => {
    const inOrder = product.suites.flatMap(({ id, steps }) =>
      steps.flatMap(({ expect: expected }) =>
        expected.map(({ requirement }) => requirement).filter((row) => row.startsWith(`${id}/`)),
      ),
    );
    const given = {
      otherBearerEnv: 'OTHER',
      portable: PROFILE_IDS,
      maxDefinitionTokens: 1,
      contract: contract(),
    };
    expect(idsOf(given)).toEqual([...new Set(inOrder)]);
    const ofServers = [...product.registry.keys()].filter((id) => !/^(listing|directory|mcp)\//.test(id));
    expect(idsOf(given).toSorted()).toEqual(ofServers.toSorted());
  });

  test('that decide about a limit are planned only with it', () => {
    expect(idsOf({})).not.toContain('documentation/definition-tokens');
    expect(idsOf({ maxDefinitionTokens: 1 })).toContain('documentation/definition-tokens');
  });

  test('that need a further token are planned only with it', () => {
    expect(idsOf({})).not.toContain('security/identities-apart');
    expect(() => select({ only: ['security/identities-apart'] })).toThrow(
      'needs `otherBearerEnv`, a further token',
    );
    const overHttp = { ...SUBJECT, address: 'https://example.com/mcp', channel: 'http' } as const;
    const ofTokens = (options: Partial<SelectionOptions>) =>
      idsOfMcp({ mcp: overHttp, ...options }).filter((id) =>
        /^mcp\/auth-(?:.*-token|other-audience)$/.test(id),
      );
    expect(ofTokens({})).toEqual(['mcp/auth-changed-token']);
    expect(ofTokens({ expiredBearerEnv: 'OLD', otherAudienceBearerEnv: 'FOREIGN' })).toEqual([
      'mcp/auth-changed-token',
      'mcp/auth-expired-token',
      'mcp/auth-other-audience',
    ]);
  });

  test('of a listing are decided afterwards, and need the reachability of the target', () => {
    const only = ['listing/record'];
    expect(listingWanted({ only, skip: [] })).toEqual(only);
    expect(listingWanted({ only: [], skip: ['listing/*'] })).toEqual([]);
    expect(idsOf({ only, listingGiven: true })).toEqual([]);
    expect(stepsOf({ only, listingGiven: true })).toEqual(['health/read']);
    expect(() => select({ only })).toThrow('They need `listingGiven`.');
    expect(() => select({ only, skip: only, listingGiven: true })).toThrow('Nothing is left to decide');
    expect(() => select({ only: ['listing/recrd'] })).toThrow('Did you mean "listing/record"?');
  });

  test('of a server of the Model Context Protocol: none that the protocol does not ask for', () => {
    const chosen = idsOfMcp({ mcp: SUBJECT });
    expect(chosen).toContain('mcp/calls-served');
    expect(chosen).not.toContain('execute/status-200');
    expect(idsOf({})).not.toContain('mcp/calls-served');
    const ofRest = [
      'capabilities/function-names-unique',
      'capabilities/parameters-typed',
      'health/uptime-number',
    ];
    for (const id of ofRest) {
      expect(idsOf({})).toContain(id);
      expect(chosen).not.toContain(id);
    }
    expect(() => selectOfMcp({ mcp: SUBJECT, only: ofRest })).toThrow('only for servers of forms A and B');
  });

  test('of a command: none that are about HTTP', () => {
    expect(idsOfMcp({ mcp: SUBJECT })).not.toContain('mcp/http-origin');
    expect(idsOfMcp({ mcp: SUBJECT })).toContain('mcp/ends-with-input');
    const overHttp = idsOfMcp({ mcp: { ...SUBJECT, channel: 'http', address: 'https://a.example/mcp' } });
    expect(overHttp).toContain('mcp/http-origin');
    expect(overHttp).not.toContain('mcp/ends-with-input');
  });

  test.each([
    ['http://127.0.0.1:3000/mcp', 'MUST'],
    ['http://localhost:3000/mcp', 'MUST'],
    ['https://a.example/mcp', 'SHOULD'],
  ])('of a server at %s: foreign origins are refused as a %s', (address, level) => {
    const { requirements } = selectOfMcp({ mcp: { ...SUBJECT, channel: 'http', address } });
    expect(requirements.get('mcp/http-origin')?.level).toBe(level);
  });

  test('one of them', () => {
    expect(idsOf({ only: ['health/status-200'] })).toEqual(['health/status-200']);
  });

  test('a glob matches any characters, including none', () => {
    expect(idsOf({ only: ['health/*'] }).every((id) => id.startsWith('health/'))).toBe(true);
    expect(idsOf({ only: ['*'] })).toEqual(idsOf({}));
    expect(idsOf({ only: ['*/status-200'] })).toEqual([
      'health/status-200',
      'capabilities/status-200',
      'execute/status-200',
    ]);
    expect(idsOf({ only: ['health/status-200*'] })).toEqual(['health/status-200']);
  });

  test('only the glob is a pattern', () => {
    expect(() => select({ only: ['health.status-200'] })).toThrow(OptionError);
    expect(() => select({ only: ['health/status-(200)'] })).toThrow(OptionError);
    expect(() => select({ only: ['ealth/status-200'] })).toThrow(OptionError);
  });

  test('without skipped ones, even if they are in only', () => {
    expect(idsOf({ only: ['health/*'], skip: ['health/u*', 'health/status-200'] })).toEqual(
      idsOf({ only: ['health/*'] }).filter((id) => !id.startsWith('health/u') && id !== 'health/status-200'),
    );
  });

  test('a pattern without a match is an error with a suggestion', () => {
    expect(() => select({ only: ['health/status-20'] })).toThrow(
      new OptionError(
        'only',
        '`only` health/status-20: unknown requirement id. Did you mean "health/status-200"?',
      ),
    );
    expect(() => select({ skip: ['zzzzzzzz*'] })).toThrow(
      new OptionError('skip', '`skip` zzzzzzzz*: unknown requirement id. `loadSuites` lists all ids.'),
    );
  });

  test('of a directory are separate from those of a server', () => {
    const suites = [...product.suites, ...parseProductSuites('directory', product.registry)];
    const directory = { entry: null, tryRateLimit: false };
    const { requirements } = selectSteps(suites, { ...all, directory });
    const rows = [...product.registry.keys()].filter((id) => id.startsWith('directory/'));
    expect([...requirements.keys()].toSorted()).toEqual(rows.toSorted());
    expect(selectSteps(suites, all).requirements.has('directory/details')).toBe(false);
    expect(() => selectSteps(suites, { ...all, directory, only: ['health/*'] })).toThrow(
      '`only` health/*: unknown requirement id. A check of a directory decides only "directory/*"; use `checkServer` with the address of a server for the rest.',
    );
    expect(() => selectSteps(suites, { ...all, only: ['directory/details'] })).toThrow(
      '`only` directory/details: unknown requirement id. Use `checkServer` with `directory` for ids that begin with "directory/".',
    );
    expect(() => selectSteps(suites, { ...all, directory, skip: ['directory/detials'] })).toThrow(
      'Did you mean "directory/details"?',
    );
  });

  test('an empty selection is an error, not a pass', () => {
    expect(() => select({ only: ['health/*'], skip: ['*'] })).toThrow(
      'Nothing is left to decide: `only`, `skip`, `readOnly` and `latency.off` leave out every requirement.',
    );
    expect(() => select({ only: ['errors/unknown-function-status'], readOnly: true })).toThrow();
  });

  test('read-only: no other methods, and nothing that depends only on them', () => {
    const { steps, requirements, formStep } = select({ readOnly: true });
    expect(steps.filter(changesSomething)).toEqual([]);
    expect([...requirements.keys()].filter((id) => id.startsWith('errors/'))).toEqual([]);
    expect(requirements.has('health/status-200')).toBe(true);
    expect(formStep).toBeNull();
  });

  test('keep level and section of their rows', () => {
    const { requirements } = select({});
    for (const [id, planned] of requirements) {
      const row = product.registry.get(id);
      expect(planned).toEqual({
        id,
        level: row?.level,
        spec: row?.spec,
        text: textFor(row?.text ?? '', 'rest'),
      });
    }
  });
});

describe('steps', () => {
  test('each after its prerequisites', () => {
    const { steps } = select({});
    for (const [index, step] of steps.entries()) {
      const before = new Set(steps.slice(0, index).map(({ id }) => id));
      expect(prerequisitesOf(step, listerOf(steps)).filter((id) => !before.has(id))).toEqual([]);
    }
  });

  test('only those that a requirement needs', () => {
    expect(stepsOf({ only: ['health/status-200'] })).toEqual(['health/read']);
    expect(stepsOf({ only: ['documentation/examples'] })).toEqual([
      'capabilities/read',
      'documentation/descriptors',
    ]);
    expect(stepsOf({ only: ['execute/parameters-default'] })).toEqual([
      'capabilities/read',
      'execute/call',
      'execute/no-parameters',
    ]);
  });

  test('the step that detects the form is known even if it is not selected', () => {
    expect(select({ only: ['health/status-200'] }).formStep?.id).toBe('execute/call');
  });

  test('what changes something', () => {
    const suite = loadText(`suite: v1
id: mine
title: T
steps:
  - { id: a, request: { get: / }, expect: { status: { is: 200, id: a } } }
  - { id: b, request: { post: / }, expect: { status: { is: 200, id: b } } }
  - { id: c, request: { execute: x }, expect: { status: { is: 200, id: c } } }
  - { id: d, use: a, expect: { status: { is: 200, id: d } } }
`);
    expect(suite.steps.filter(changesSomething).map(({ id }) => id)).toEqual(['mine/b', 'mine/c']);
    expect(suite.steps.map((step) => prerequisitesOf(step, select({}).steps.find(isLister) ?? null))).toEqual(
      [[], [], ['capabilities/read'], ['mine/a']],
    );
  });
});

describe('up to a number of items of a list, spread evenly', () => {
  test.each<[number, number, readonly number[]]>([
    [0, 3, []],
    [3, 3, [0, 1, 2]],
    [2, 5, [0, 1]],
    [10, 1, [0]],
    [10, 2, [0, 5]],
    [10, 3, [0, 3, 6]],
    [10, 4, [0, 2, 5, 7]],
    [5, 4, [0, 1, 2, 3]],
  ])('of %i at most %i', (length, most, expected) => {
    expect(
      chooseEvenly(
        Array.from({ length }, (_, index) => index),
        most,
      ),
    ).toEqual(expected);
  });

  test('none twice, with gaps that differ by at most one', () => {
    for (let length = 1; length < 60; length += 1) {
      for (let most = 1; most < length; most += 1) {
        const chosen = chooseEvenly(
          Array.from({ length }, (_, index) => index),
          most,
        );
        expect(chosen).toHaveLength(most);
        const gaps = chosen.map((value, index) => (chosen[index + 1] ?? length) - value);
        expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1);
      }
    }
  });
});
