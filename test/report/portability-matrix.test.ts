import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/generated/portability.ts';
import { definitionsIn, problemsOf } from '../../src/portability/fit.ts';
import { renderPortability } from '../../src/report/terminal/portability-matrix.ts';
import { contractWith, functionWith } from '../portability/profile-examples.ts';

const LONG = 'list_the_weather_of_all_cities_of_a_country_in_a_year';
const open = { type: 'object', properties: { 'a\u202e': { type: 'array' } } };
const contract = contractWith([
  functionWith({ type: 'object', properties: {}, required: [], additionalProperties: false }),
  functionWith(open, { name: LONG }),
  functionWith(open, { name: 'a\u001b[31m' }),
]);

function rendered(ids: readonly string[], columns: number): string {
  const definitions = definitionsIn(contract);
  const names = contract.functions.map(({ name }) => name);
  const fits = PROFILES.filter(({ id }) => ids.includes(id)).map((profile) => ({
    profile,
    problems: problemsOf(definitions, profile),
  }));
  return renderPortability({ names, fits, isDetailed: ids.length === 1 }, { columns });
}

describe('the matrix', () => {
  it('has a row for each function, a column for each profile, and what is accepted', () => {
    const [head, fitting, long, , accepted] = rendered(['openai', 'openai-strict'], 80).split('\n');
    expect(head?.trim()).toBe('OAI  OAI+');
    expect(fitting).toMatch(/^get_weather +✓ +✓$/);
    expect(long).toMatch(/^list_the_weather_of_all_cities_of_a_country_in_a_year +1 +3$/);
    expect(accepted).toMatch(/^accepted of 3 +1 +1$/);
  });

  it.each([80, 120])('fits %i columns with all profiles', (columns) => {
    const text = rendered(
      PROFILES.map(({ id }) => id),
      columns,
    );
    expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
    for (const { id, short } of PROFILES)
      expect(text).toMatch(new RegExp(`^${short.replace('+', '\\+')} +${id} `, 'm'));
  });

  it('lists every change for one profile, and prints nothing that acts in a terminal', () => {
    const text = rendered(['openai'], 80);
    expect(text).toContain('change: add "items", such as { "type": "string" }');
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
