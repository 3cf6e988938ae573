import { describe, expect, test } from 'vitest';
import { checkDirectory } from './check-directory.ts';
import { variations } from './variations.ts';

describe('a conforming directory passes', () => {
  test.each(variations.map((variation) => [variation.name, variation] as const))(
    '%s',
    async (_, { options, run = {} }) => {
      const result = await checkDirectory(options, run);
      expect(
        result.findings.map(
          ({ id, outcome, message, received }) => `${outcome} ${id}: ${message}; ${received}`,
        ),
      ).toEqual([]);
      const undecided = result.results.filter(({ outcome }) => outcome === 'undecided');
      expect(undecided).toEqual([]);
      const inapplicable = result.results.filter(({ outcome }) => outcome === 'inapplicable');
      const asksForLimit = run.directory?.tryRateLimit === true;
      expect(inapplicable.map(({ id }) => id)).toEqual(asksForLimit ? [] : ['directory/rate-limit']);
      expect(result.results).toHaveLength(27);
      expect(result.verdict).toBe('pass');
    },
  );
});
