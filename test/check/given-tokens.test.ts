import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { givenTokens, withOtherEnd } from '../../src/check/given-tokens.ts';

describe('a token with another end', () => {
  it.each([
    ['Bearer abcdefgh', 'Bearer defabcqr'],
    ['Bearer aaaa.0123456789ABCDEF', 'Bearer aaaa.0123456734DEFABC'],
    ['Basic dXNlcjpwYXNzd29yZA==', 'Basic dXNlcjpwYXXpa74oPD=='],
    ['x', 'n'],
  ])('of %s is %s', (value, other) => {
    expect(withOtherEnd(value)).toBe(other);
  });

  it('is another one of the same form, whatever it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w.~+/-]+=*$/), (token) => {
        const changed = withOtherEnd(`Bearer ${token}`);
        expect(changed.startsWith('Bearer ')).toBe(true);
        expect(changed).toHaveLength(`Bearer ${token}`.length);
        expect(changed !== `Bearer ${token}`).toBe(/[a-z\d]/i.test(token));
      }),
    );
  });
});

it('shows variables instead of the tokens', () => {
  const headers = [
    { name: 'authorization', value: 'Bearer 1234567890', shownValue: 'Bearer $PROBITY_TOKEN' },
  ];
  const { tokens, secrets } = givenTokens({ bearerTokens: { expired: 'old' } }, headers);
  expect(tokens.changed).toEqual({
    name: 'authorization',
    value: 'Bearer 1289012345',
    shownValue: 'Bearer $PROBITY_CHANGED_TOKEN',
  });
  expect(tokens.expired?.shownValue).toBe('Bearer $PROBITY_EXPIRED_TOKEN');
  expect(secrets.map(({ value }) => value)).toEqual(['1289012345', 'old']);
});

it('has no changed token without one', () => {
  expect(givenTokens({}, [{ name: 'x-key', value: '1', shownValue: '$K' }])).toEqual({
    tokens: {},
    secrets: [],
  });
});

describe('further tokens are refused', () => {
  const bearerTokens = { other: 'the-same-token' };

  it('without the one that gives access', () => {
    expect(() => givenTokens({ bearerTokens }, [])).toThrow('Give that one too.');
  });

  it('if they are that one', () => {
    const value = 'Bearer the-same-token';
    const headers = [{ name: 'authorization', value, shownValue: 'Bearer $PROBITY_TOKEN' }];
    expect(() => givenTokens({ bearerTokens }, headers)).toThrow(
      '`otherBearerEnv` and `bearerToken` are the same',
    );
  });
});
