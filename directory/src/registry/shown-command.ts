import { isJsonObject, type Json, type JsonObject, npxWords, ownProperty } from 'probity/model';

interface Run {
  readonly program: string;
  readonly options: readonly string[];
  readonly name: string;
}

const PYPI = 'https://pypi.org';

/** How each kind of package is run when the registry names no other program; without one, it is a file to download. */
const RUNNERS = new Map<string, (name: string, version: string | null, base: string | null) => Run>(
  Object.entries({
    npm: (identifier, version, registry) => {
      const { program, consent, from, name } = npxWords({ identifier, version, registry });
      return { program, options: [consent, ...from], name };
    },
    pypi: (name, version, base) => ({
      program: 'uvx',
      options: base === null || base.replace(/\/+$/, '') === PYPI ? [] : ['--index-url', base],
      name: version === null ? name : `${name}@${version}`,
    }),
    oci: (name, version) => ({
      program: 'docker',
      options: ['run', '-i', '--rm'],
      name: version === null ? name : `${name}:${version}`,
    }),
    nuget: (name, version) => ({
      program: 'dnx',
      options: ['--yes'],
      name: version === null ? name : `${name}@${version}`,
    }),
  }),
);

/**
 * The command that a user would run for a package of a `server.json`, word by word; `<NAME>` is a value that the user
 * chooses. Nothing runs it. Null: it is not known how such packages are run. Pure.
 */
export function packageCommand(given: JsonObject): readonly string[] | null {
  const runner = RUNNERS.get(textOf(given, 'registryType') ?? '');
  const identifier = textOf(given, 'identifier');
  if (runner === undefined || identifier === null) return null;
  const { program, options, name } = runner(
    identifier,
    textOf(given, 'version'),
    textOf(given, 'registryBaseUrl'),
  );
  const chosen = argumentsOf(ownProperty(given, 'runtimeArguments'));
  return [
    textOf(given, 'runtimeHint') ?? program,
    ...options.filter((option) => !chosen.includes(option)),
    ...chosen,
    name,
    ...argumentsOf(ownProperty(given, 'packageArguments')),
  ];
}

function argumentsOf(list: Json | undefined): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).flatMap((one) => {
    const isNamed = ownProperty(one, 'type') === 'named';
    const name = textOf(one, 'name') ?? '';
    const value = textOf(one, 'value') ?? textOf(one, 'default');
    const isWanted = ownProperty(one, 'isRequired') === true || textOf(one, 'valueHint') !== null;
    const shown = value ?? (isWanted ? `<${textOf(one, 'valueHint') ?? name}>` : null);
    return [...(isNamed ? [name] : []), ...(shown === null ? [] : [shown])];
  });
}

function textOf(object: JsonObject, name: string): string | null {
  const value = ownProperty(object, name);
  return typeof value === 'string' && value !== '' ? value : null;
}
