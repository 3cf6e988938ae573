import { describe, expect, it } from 'vitest';
import { targetTokenOf } from '../../src/targets/target-access.ts';

const environment = {
  PROBITY_TARGET_A_B_C: 'one',
  PROBITY_TARGET_A_B_C_TOKEN: 'two',
  PROBITY_TARGET_A_B_CD: 'three',
  PROBITY_TARGET_: 'four',
  HOME: 'five',
};

describe('the key of a target', () => {
  const tokenFor = (id: string, bearerEnv?: string) =>
    targetTokenOf(
      {
        id,
        listing: {
          id,
          name: '',
          description: '',
          category: '',
          tags: [],
          transport: [],
          audited: false,
          openSource: false,
          endpoint: '',
          ...(bearerEnv === undefined ? {} : { bearerEnv }),
        },
      },
      environment,
    );
  it('is read when the listing names its variable', () => {
    expect(tokenFor('a.b-c')).toEqual({ kind: 'none' });
    expect(tokenFor('a.b-c', 'PROBITY_TARGET_A_B_C')).toEqual({ kind: 'token', token: 'one' });
  });
  it.each([
    'PROBITY_TARGET_A_B_CD',
    'PROBITY_TARGET_A_B_C_TOKEN',
    'PROBITY_TARGET_A_B_C_UNSET',
    'PROBITY_TARGET_',
    'HOME',
    'toString',
    '__proto__',
    '',
  ])('is not read from %s', (name) => {
    const token = tokenFor('a.b-c', name);
    expect(token.kind).toBe('problem');
    expect(JSON.stringify(token)).not.toMatch(/two|three|four|five/);
  });
});
