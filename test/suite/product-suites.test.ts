import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checks } from '../../src/generated/checks.ts';
import { LISTING_LEVELS } from '../../src/model/listing.ts';
import type { Requirement } from '../../src/model/requirement.ts';
import { TARGET_KINDS, usedStepIds } from '../../src/model/suite.ts';
import { parseRegistry } from '../../src/suite/language/registry.ts';
import { packageRoot, productSuiteFiles, registryFile } from '../../src/suite/product-files.ts';
import { readSource } from '../../src/suite/read-source.ts';
import { parseProductSuites, parseUserSuites } from '../../src/suite/read-yaml.ts';
import { product, suiteErrorOf } from './loading.ts';

const { registry } = product;
const suites = [
  ...product.suites,
  ...parseProductSuites('directory', registry),
  ...parseProductSuites('mcp', registry),
];
const productFiles = TARGET_KINDS.flatMap(productSuiteFiles);
const assertions = suites.flatMap(({ steps }) => steps.flatMap(({ expect: expected }) => expected));

/** Reasons that only a server of forms A and B gives. */
const OF_REST: ReadonlySet<string> = new Set(['no-declaration', 'no-description', 'no-form', 'no-output']);

describe('the product’s own suites', () => {
  test('are loaded in reading order', () => {
    expect(suites.map(({ id }) => id)).toEqual([
      'health',
      'capabilities',
      'documentation',
      'execute',
      'errors',
      'robustness',
      'security',
      'transport',
      'inputs',
      'performance',
      'contract',
      'directory-search',
      'directory-filters',
      'directory-entries',
      'directory-access',
      'mcp-client',
      'mcp-session',
      'mcp-tools',
      'mcp-hints',
      'mcp-prompts',
      'mcp-resources',
      'mcp-utilities',
      'mcp-http',
      'mcp-stateless',
      'mcp-authorization',
      'mcp-contract',
    ]);
    expect(suites.map(({ file }) => file)).toEqual(productFiles.map(({ shown }) => shown));
  });

  test('have the digests of their files', () => {
    for (const { shown, file } of productFiles) {
      expect(suites.find((suite) => suite.file === shown)?.digest).toBe(readSource(file).digest);
    }
  });

  test('include every file of their folders', () => {
    const files = TARGET_KINDS.flatMap((kind) => readdirSync(path.join(packageRoot(), 'suites', kind)));
    expect(files.toSorted()).toEqual(suites.map(({ file }) => path.basename(file)).toSorted());
  });

  test('decide only requirements of the registry', () => {
    const unknown = assertions.filter(({ requirement }) => !registry.has(requirement));
    expect(unknown.map(({ requirement, where }) => `${where.file}:${where.line} ${requirement}`)).toEqual([]);
  });

  test('name a requirement to blame for every reason why a check cannot judge', () => {
    const missing = assertions.flatMap((assertion) => {
      const check = assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
      if (assertion.kind !== 'check' || check === undefined) return [];
      return Object.keys(check.reasons)
        .filter((reason) => !Object.hasOwn(assertion.blockedBy, reason))
        .filter((reason) => !(reason === 'no-answer' && check.isIncidental(assertion.options)))
        .filter((reason) => !(assertion.wire === 'mcp' && OF_REST.has(reason)))
        .map((reason) => `${assertion.requirement} (${check.name}): ${reason}`);
    });
    // Each searches with one filter, so that no other filter can be the cause.
    expect(missing.filter((one) => !/^directory\/filter-.*\(filtered\)/.test(one))).toEqual([]);
  });

  test('are not named in checks: no check contains a requirement id', () => {
    const folder = path.join(packageRoot(), 'src', 'checks');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ file, text: readFileSync(path.join(folder, file), 'utf8') }));
    const known = sources.flatMap(({ file, text }) =>
      [...registry.keys()].filter((id) => text.includes(id)).map((id) => `${file}: ${id}`),
    );
    expect(sources.length).toBeGreaterThan(50);
    expect(known).toEqual([]);
  });

  test('decide every requirement, except those of a listing', () => {
    const decided = new Set([
      ...assertions.map(({ requirement }) => requirement),
      ...Object.keys(LISTING_LEVELS),
    ]);
    const undecided = [...registry.keys()].filter((id) => !decided.has(id));
    expect(
      undecided,
      `No suite decides ${undecided.join(', ')}. Add an assertion with \`requirement: …\` to a file in suites/server or suites/directory, or remove the row from ${registryFile().shown}.`,
    ).toEqual([]);
  });

  test('take level, section and texts of assertions from the registry', () => {
    for (const { requirement, level, spec, why, fix } of assertions) {
      const row: Requirement | undefined = registry.get(requirement);
      expect({ requirement, level, spec, why, fix }).toEqual({
        requirement,
        level: row?.level,
        spec: row?.spec,
        why: row?.why,
        fix: row?.fix,
      });
    }
  });

  test('refer only to known steps', () => {
    const known = new Set(suites.flatMap(({ steps }) => steps.map(({ id }) => id)));
    for (const { steps } of suites) {
      for (const step of steps) {
        const {
          needs,
          rounds: { forEach },
        } = step;
        const before = [...needs, ...usedStepIds(step), ...(forEach?.succeeded ? [forEach.succeeded] : [])];
        expect(before.filter((id) => !known.has(id))).toEqual([]);
      }
    }
  });

  test('can be referred to by a user’s suite, which must have another id', () => {
    const file = path.join(packageRoot(), 'suites', 'server', 'health.suite.yaml');
    expect(suiteErrorOf(() => parseUserSuites([file], registry, suites)).diagnostics).toMatchObject([
      { code: 'duplicate-id', file, message: 'another suite has the id "health"' },
    ]);
  });
});

describe('the checks', () => {
  test('are all used by a suite of the product', () => {
    const used = new Set(
      assertions.flatMap((assertion) => (assertion.kind === 'check' ? [assertion.check] : [])),
    );
    const unused = [...checks.keys()].filter((name) => !used.has(name));
    expect(unused, `No suite uses ${unused.join(', ')}. Use it in suites/server, or remove it.`).toEqual([]);
  });
});

describe('the registry', () => {
  const source = readSource(registryFile().file, registryFile().shown);

  test('has text, why and fix in sentences in every row', () => {
    for (const { id, text, why, fix, spec } of registry.values()) {
      for (const words of typeof text === 'string' ? [text] : Object.values(text))
        expect(words.trim().length, id).toBeGreaterThan(10);
      expect(why, id).toMatch(/[.!?”"`)]$/);
      for (const words of typeof fix === 'string' ? [fix] : Object.values(fix))
        expect(words, id).toMatch(/[.!?”"`)]$/);
      expect(spec, id).toMatch(/^(-|MCP [a-z]+|\d+(\.\d+)*)$/);
    }
  });

  test('groups rows by area', () => {
    const areas = [...registry.keys()].map((id) => id.split('/')[0]);
    const runs = areas.filter((area, index) => area !== areas[index - 1]);
    expect(runs).toEqual([...new Set(areas)]);
  });

  test('is read in the order of the file', () => {
    const ids = [...source.text.matchAll(/^ {2}- id: (\S+)$/gm)].map(([, id]) => id);
    expect([...parseRegistry(source.text, source.file).keys()]).toEqual(ids);
  });
});
