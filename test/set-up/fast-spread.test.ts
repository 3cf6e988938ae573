import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const script = path.resolve(import.meta.dirname, '../../scripts/fast-spread.mjs');
const { withFastSpreads } = (await import(script)) as { readonly withFastSpreads: (code: string) => string };

describe('spreads in bundles', () => {
  it.each([
    ['({ ...a })', '({ ...a })'],
    ['({ x: 1, ...a })', '({ x: 1, ...a })'],
    ['const { x, ...rest } = a;', 'const { x, ...rest } = a;'],
    ['[...a, 1]', '[...a, 1]'],
    ['({ ...a, x: 1 })', '({ ...{},...a, x: 1 })'],
    ['({...a,...b})', '({...{},...a,...b})'],
    ['f({\n  ...a,\n  x: { ...b, "é": 1 },\n})', 'f({\n  ...{},...a,\n  x: { ...{},...b, "é": 1 },\n})'],
    ['"ü"; ({ ...{ ...a, x }, y })', '"ü"; ({ ...{},...{ ...{},...a, x }, y })'],
    ['#!/usr/bin/env node\n({ ...a, x })', '#!/usr/bin/env node\n({ ...{},...a, x })'],
  ])('of %j are %j', (code, written) => {
    expect(withFastSpreads(code)).toBe(written);
    expect(() => parseAst(written)).not.toThrow();
  });

  it.each([
    '{ ...a, x: 5, ...b }',
    '{ ...b, ...a, z: [...[1], { ...a, x: 2 }] }',
    '{ ...null, ...undefined, ...false, y: 1 }',
    '{ ...JSON.parse(\'{"__proto__": 1, "x": 2}\'), __proto__: b }',
    '{ ...(log.push(1), a), [(log.push(2), "k")]: log.push(3), ...(log.push(4), b) }',
  ])('make the same of %s', (literal) => {
    const made = (code: string) => {
      const log: number[] = [];
      const value = new Function('a', 'b', 'log', `return (${code})`)(
        { x: 1, y: 2 },
        { x: 3 },
        log,
      ) as object;
      return [Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value), Object.keys(value), log];
    };
    const written = withFastSpreads(`(${literal})`);
    expect(written).toContain('...{},...');
    expect(made(written)).toEqual(made(`(${literal})`));
  });
});
