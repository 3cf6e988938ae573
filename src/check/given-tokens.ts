import { OptionError } from '../model/arguments.ts';
import type { Secret } from '../model/probe.ts';
import { type GivenTokenName, TOKEN_SETTINGS, type TokenSetting } from '../model/request-template.ts';
import type { GivenHeader, GivenTokens } from '../probe/given-headers.ts';
import type { CheckOptions } from './check-options.ts';

type WithTokens = Pick<CheckOptions, 'bearerTokens' | TokenSetting>;

/** The variables that stand for the values in reports. */
const VARIABLES: Readonly<Record<GivenTokenName, string>> = {
  expired: 'PROBITY_EXPIRED_TOKEN',
  otherAudience: 'PROBITY_OTHER_AUDIENCE_TOKEN',
  other: 'PROBITY_OTHER_TOKEN',
};
const NAMES = Object.keys(VARIABLES) as readonly GivenTokenName[];

/**
 * What may replace the token of the user, who gave these headers.
 *
 * @throws OptionError for further tokens without that one, or the same
 */
export function givenTokens(
  { bearerTokens = {} }: WithTokens,
  headers: readonly GivenHeader[],
): { readonly tokens: GivenTokens; readonly secrets: readonly Secret[] } {
  const found = headers.find(({ name }) => name === 'authorization');
  const changed = found && { value: withOtherEnd(found.value), variable: 'PROBITY_CHANGED_TOKEN' };
  const given = NAMES.flatMap((name) => {
    const value = bearerTokens[name];
    return value === undefined ? [] : [{ name, value: `Bearer ${value}`, variable: VARIABLES[name] }];
  });
  if (given.length > 0 && found === undefined)
    throw new OptionError(
      'bearerTokens',
      'Further tokens are compared with `bearerToken`, the one that gives access. Give that one too.',
    );
  const same = given.find(({ value }) => value === found?.value);
  if (same !== undefined)
    throw new OptionError(
      'bearerTokens',
      `\`${TOKEN_SETTINGS[same.name]}\` and \`bearerToken\` are the same token. Give two different ones.`,
    );
  const all = [...(changed ? [{ name: 'changed' as const, ...changed }] : []), ...given];
  return {
    tokens: Object.fromEntries(
      all.map(({ name, value, variable }) => {
        const [scheme = ''] = /^\S+ /.exec(value) ?? [];
        return [name, { name: 'authorization', value, shownValue: `${scheme}$${variable}` }];
      }),
    ),
    secrets: all.map(({ value, variable }) => ({ value: value.replace(/^\S+ /, ''), variable })),
  };
}

/** The names of the variables of the tokens that were given, for the settings of the run. */
export function tokenVariables(options: WithTokens): Readonly<Partial<Record<TokenSetting, string>>> {
  return Object.fromEntries(
    NAMES.map((name) => {
      const setting = TOKEN_SETTINGS[name];
      const isGiven = options.bearerTokens?.[name] !== undefined;
      return [setting, isGiven ? (options[setting] ?? VARIABLES[name]) : undefined];
    }),
  );
}

const CHANGED_CHARACTERS = 8;

/**
 * The value of the header with other letters and digits at its end: no token that was issued. The last character alone may carry no bits
 * of a signature, so eight are changed. Each stays in its alphabet, also in hexadecimal, so that the format is kept.
 */
export function withOtherEnd(value: string): string {
  let left = CHANGED_CHARACTERS;
  const [scheme = ''] = /^\S+ /.exec(value) ?? [];
  const changed = [...value.slice(scheme.length)]
    .reverse()
    .map((character) => {
      if (left === 0 || !/[a-z\d]/i.test(character)) return character;
      left -= 1;
      return otherCharacter(character);
    })
    .reverse()
    .join('');
  return scheme + changed;
}

const ALPHABETS = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

function otherCharacter(character: string): string {
  const alphabet = ALPHABETS.find((one) => one.includes(character)) ?? character;
  return alphabet.charAt((alphabet.indexOf(character) + alphabet.length / 2) % alphabet.length);
}
