import type { CheckOptions } from '../../check/check-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { CHECK_SETTINGS } from '../../model/check-options.ts';
import { type GivenTokenName, TOKEN_SETTINGS, type TokenSetting } from '../../model/request-template.ts';
import type { RawConfig } from '../../suite/config/config-language.ts';

export function configuredHeaders(
  config: RawConfig | undefined,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (config?.headers ?? []).map(({ key, value }) => [
      key,
      typeof value === 'string' ? value : fromEnvironment(value.env, environment, `headers: ${key}`),
    ]),
  );
}

const HEADER_LINE = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([^\r\n]*)$/;

export function flagHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = HEADER_LINE.exec(line) ?? [];
      if (name === undefined || value === undefined)
        // The value is not quoted, because it may be a secret.
        throw new UsageError('The value of --header is not a header. Write it as "Name: value".');
      return [name, value.trim()];
    }),
  );
}

export function fromEnvironment(name: string, environment: NodeJS.ProcessEnv, where: string): string {
  // The value is not quoted: the user may have passed the secret itself.
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))
    throw new UsageError(
      `${where} requires the name of an environment variable. Put the value into a variable, and pass its name.`,
    );
  const value = environment[name];
  if (value === undefined || value === '')
    throw new UsageError(
      `${where}: the environment variable ${name} is not set. Set it, for example: export ${name}=…`,
    );
  return value;
}

/** The tokens that the user gives besides the one for the target. */
export function tokensIn(
  options: Pick<CheckOptions, TokenSetting>,
  environment: NodeJS.ProcessEnv,
): CheckOptions['bearerTokens'] {
  const names = Object.keys(TOKEN_SETTINGS) as readonly GivenTokenName[];
  const given = names.flatMap((name): readonly [GivenTokenName, string][] => {
    const setting = TOKEN_SETTINGS[name];
    const [flag] = CHECK_SETTINGS[setting].flag.split(' ', 1);
    const variable = options[setting];
    return variable === undefined ? [] : [[name, fromEnvironment(variable, environment, String(flag))]];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
