import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { TARGET_KINDS } from '../../src/model/suite.ts';
import { baselineLanguageParts, baselineShape } from '../../src/suite/config/baseline.ts';
import { configShape } from '../../src/suite/config/config-language.ts';
import { requirementsShape } from '../../src/suite/language/registry.ts';
import { suiteShape } from '../../src/suite/language/suite-language.ts';
import { productSuiteFiles, registryFile } from '../../src/suite/product-files.ts';
import { readSource } from '../../src/suite/read-source.ts';
import { plainValue } from '../../src/suite/yaml/tree.ts';
import { parseYaml } from '../../src/suite/yaml/yaml-tree.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const validSuite = ajv.compile(suiteShape.schema);
const validRegistry = ajv.compile(requirementsShape.schema);
const validConfig = ajv.compile(configShape.schema);
const validBaseline = ajv.compile(baselineShape.schema);

const read = (text: string): Json => {
  const { tree } = parseYaml(text, 'a.yaml');
  return tree === null ? null : plainValue(tree);
};
const suite = (step: string): Json =>
  read(
    `suite: v1\nid: mine\ntitle: T\nsteps:\n  - { id: a, request: { get: / }, expect: { status: { is: 200, id: ok } }, ${step} }`,
  );

describe('the schemas for editors', () => {
  test.each(TARGET_KINDS.flatMap(productSuiteFiles).map(({ file, shown }) => [shown, file] as const))(
    'accept %s',
    (_, file) => {
      expect(validSuite(read(readSource(file).text)), JSON.stringify(validSuite.errors)).toBe(true);
    },
  );

  test('accept the registry', () => {
    expect(
      validRegistry(read(readSource(registryFile().file).text)),
      JSON.stringify(validRegistry.errors),
    ).toBe(true);
  });

  test.each([
    ['title: T', true],
    ['title: ""', false],
    ['titel: T', false],
    ['repeat: { times: 2, atOnce: true }', true],
    ['repeat: { times: 1, atOnce: true }', false],
    ['repeat: { times: 2, atOnce: two }', false],
    ['phase: negative', true],
    ['phase: first', false],
    ['experiment: sequences', true],
    ['experiment: nothing', false],
    ['needs: [b, c/d]', true],
    ['needs: b', false],
    ['needs: [B]', false],
    ['cases: []', false],
    ['cases: [{ id: x }]', true],
    ['experiment: { timed-calls: 10 }', true],
    ['experiment: timed-calls', true],
    ['experiment: { timed-calls: 1 }', false],
  ])('agree with the loader about a step with %s', (text, valid) => {
    expect(validSuite(suite(text))).toBe(valid);
  });

  test.each([
    ['request: { list: functions }', true],
    ['request: { list: tools }', false],
    ['request: { alive: true }', true],
    ['request: { alive: false }', false],
    ['request: { open: old, version: "1999-01-01" }', true],
    ['request: { open: Old }', false],
    ['request: { message: { method: ping }, conversation: apart }', true],
    ['request: { message: ping }', false],
    ['request: { raw: [a, { json: 1 }] }', true],
    ['request: { http: DELETE, headers: { mcp-session-id: null } }', true],
    ['request: { http: POST }', false],
    ['request: { close: apart }', true],
    ['when: { channel: http, era: session, since: 2025-06-18, until: 2025-11-25, capability: tools }', true],
    ['when: { channel: pipe }', false],
    ['when: { era: 2025-11-25 }', false],
    ['when: { since: draft }', false],
    ['expect: { outcome: { is: refused, requirement: { rest: a/b, mcp: c/d } } }', true],
    ['expect: { outcome: [{ is: refused, id: a, needs: { mcp: c/d } }] }', true],
    ['expect: { outcome: { is: refused, requirement: {} } }', false],
    ['expect: { outcome: { is: refused, requirement: { soap: a/b } } }', false],
    ['expect: { outcome: { is: failed, id: a } }', false],
    ['expect: { checks: [{ check: c, id: a, blockedBy: { why: { rest: a/b } } }] }', true],
    ['expect: { checks: [{ check: c, id: a, blockedBy: { why: [a/b] } }] }', false],
    ['save: { all: { at: $, needs: { rest: a/b, mcp: c/d } } }', true],
  ])('agree with the loader about %s', (text, valid) => {
    expect(validSuite(read(`suite: v1\nid: mine\ntitle: T\nsteps: [{ id: a, ${text} }]`))).toBe(valid);
  });

  test('agree with the loader about a configuration', () => {
    expect(
      validConfig(read('config: v1\nsamples: { add: { input: { a: 1 } } }\nheaders: { x-a: { env: A } }')),
    ).toBe(true);
    expect(validConfig(read('config: v1\nsamples: { add: { inputs: { a: 1 } } }'))).toBe(false);
    expect(validConfig(read('config: v1\ndeadlineSeconds: 0'))).toBe(false);
    expect(validConfig(read('form: A'))).toBe(false);
  });

  test('agree with the loader about a baseline', () => {
    const entry = 'requirement: a/b, fingerprint: "0123456789012345", reason: r, until: 2026-12-31';
    expect(validBaseline(read('baseline: v1\naccepted: []'))).toBe(true);
    expect(validBaseline(read(`baseline: v1\naccepted: [{ ${entry} }]`))).toBe(true);
    expect(validBaseline(read(`baseline: v1\naccepted: [{ ${entry}, outcome: passed }]`))).toBe(false);
    expect(validBaseline(read('baseline: v1\naccepted: [{ requirement: a/b }]'))).toBe(false);
    expect(
      validBaseline(read(`baseline: v1\naccepted: [{ ${entry.replace('"', '').replace('"', '')} }]`)),
    ).toBe(false);
  });

  test('describe every key', () => {
    for (const shape of [
      suiteShape,
      requirementsShape,
      configShape,
      baselineShape,
      baselineLanguageParts.accepted,
    ]) {
      for (const [name, { doc }] of Object.entries(shape.keys))
        expect(doc, name).toMatch(/^[A-Z`].*\.$|^true: .*\.$/);
    }
  });
});
