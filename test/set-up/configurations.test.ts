import path from 'node:path';
import { describe, expect, it } from 'vitest';
import ordinary from '../../vitest.config.ts';
import malformed from '../../vitest.malformed-responses.config.ts';
import mcpPackages from '../../vitest.mcp-packages.config.ts';
import mutants from '../../vitest.mutants.config.ts';
import natural from '../../vitest.natural.config.ts';
import system from '../../vitest.system.config.ts';

describe.each(Object.entries({ ordinary, mutants, natural, system, mcpPackages, malformed }))(
  'the configuration %s',
  (_name, { test, plugins }) => {
    it('lets Node.js load the sources', () => {
      expect(plugins).toEqual([expect.objectContaining({ name: 'native-sources' })]);
    });

    it('refuses tests without expect, and tables without rows', () => {
      expect(test?.setupFiles).toEqual(
        expect.arrayContaining(['test/set-up/demand-assertions.ts', 'test/set-up/refuse-empty-tables.ts']),
      );
    });

    it('finds tests in .tsx files too', () => {
      const patterns = JSON.stringify(test).match(/test\/[^"]*\*\.test[^"]*/g);
      expect(patterns?.length).toBeGreaterThan(0);
      for (const pattern of patterns ?? []) expect(pattern).toMatch(/\*\.test\.\{ts,tsx\}$/);
    });
  },
);

describe('the ordinary configuration', () => {
  it('leaves out only tests with a separate run', async () => {
    const script = path.resolve(import.meta.dirname, '../../scripts/changed-tests.mjs');
    const { OWN_RUNS } = (await import(script)) as { readonly OWN_RUNS: object };
    expect(ordinary.test?.exclude).toEqual(Object.keys(OWN_RUNS).map((folder) => `${folder}**`));
  });
});
