import { isJsonObject, type Json, type JsonObject, ownProperty } from 'probity/model';
import { refuseUrl } from 'probity/service';
import {
  PACKAGE_TYPES,
  type PackageCommand,
  type PackageType,
  type ServiceSettings,
} from '../settings/settings.ts';

export type PackageLaunch =
  /** `label` names the package in its result. */
  | { readonly kind: 'run'; readonly command: PackageCommand; readonly label: string }
  | { readonly kind: 'undecided'; readonly reason: string }
  /** The operator allows no command for any of its packages. */
  | { readonly kind: 'none' };

/**
 * How the package of a `server.json` is started: with the command of the operator. Of the document, which anybody may have
 * written, only the name and the version of the package get into it. Pure.
 */
export function launchOf(
  document: JsonObject,
  { packageCommands, publicOnly }: Pick<ServiceSettings, 'packageCommands' | 'publicOnly'>,
): PackageLaunch {
  const packages = ownProperty(document, 'packages');
  const launches = (Array.isArray(packages) ? packages : []).flatMap((one) => {
    const type = PACKAGE_TYPES.find((known) => known === ownProperty(one, 'registryType'));
    const command = type === undefined ? undefined : packageCommands[type];
    if (type === undefined || command === undefined || !isJsonObject(one)) return [];
    if (ownProperty(ownProperty(one, 'transport'), 'type') !== 'stdio') return [];
    return launchOfPackage(type, command, one, publicOnly);
  });
  return launches.find(({ kind }) => kind === 'run') ?? launches[0] ?? { kind: 'none' };
}

function launchOfPackage(
  type: PackageType,
  command: PackageCommand,
  described: JsonObject,
  publicOnly: boolean,
): PackageLaunch {
  const undecided = (reason: string): PackageLaunch => ({ kind: 'undecided', reason });
  const { isIdentifier, isVersion, base } = FORMS[type];
  const identifier = ownProperty(described, 'identifier');
  const version = ownProperty(described, 'version');
  if (typeof identifier !== 'string' || !isIdentifier(identifier))
    return undecided(`its identifier is not the name of a package of the type ${type}`);
  if (version !== undefined && (typeof version !== 'string' || !isVersion(version)))
    return undecided(`its version is not one of a package of the type ${type}`);
  if (version === undefined && command.some((word) => word.includes('{version}')))
    return undecided('it names no version');
  const from = ownProperty(described, 'registryBaseUrl');
  if (typeof from === 'string' && base !== null && !base.test(from))
    return undecided('it comes from another registry of packages, where another package may have this name');
  if (type === 'mcpb' && publicOnly && refuseUrl(new URL(identifier)) !== null)
    return undecided('its address is not public');
  const [needed] = needsOf(described);
  if (needed !== undefined) return undecided(`it requires ${needed}, which a check does not give it`);
  const filled = (word: string): string =>
    word.replaceAll(/\{(identifier|version)\}/g, (_all, name) =>
      name === 'identifier' ? identifier : (version ?? ''),
    );
  const [program, ...rest] = command;
  return {
    kind: 'run',
    command: [program, ...rest.map(filled)],
    label: `${type} ${identifier}${version === undefined ? '' : ` ${version}`}`,
  };
}

/** What callers must give the package, or always give it. */
function needsOf(described: JsonObject): readonly string[] {
  const inputs = (member: string): readonly JsonObject[] => {
    const list = ownProperty(described, member);
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  };
  const isRequired = (input: JsonObject): boolean => ownProperty(input, 'isRequired') === true;
  const isFixed = (input: JsonObject): boolean => ownProperty(input, 'value') !== undefined;
  const variables = inputs('environmentVariables').filter((one) => isRequired(one) || isFixed(one));
  return [
    ...variables.map((one) => `the environment variable ${shown(ownProperty(one, 'name'))}`),
    ...inputs('packageArguments')
      .filter((one) => isRequired(one) || isFixed(one))
      .map(() => 'arguments'),
    // The others are for the program that usually starts it, in whose place the operator's command is.
    ...inputs('runtimeArguments')
      .filter(isRequired)
      .map(() => 'arguments of the program that starts it'),
  ];
}

function shown(name: Json | undefined): string {
  return typeof name === 'string' && /^\w{1,100}$/.test(name) ? name : 'with a strange name';
}

interface Form {
  readonly isIdentifier: (text: string) => boolean;
  readonly isVersion: (text: string) => boolean;
  /** The registry of packages that is meant without another one; null: the identifier itself says where it is. */
  readonly base: RegExp | null;
}

const MAX_LENGTH = 255;

function like(pattern: RegExp, maxLength = MAX_LENGTH): (text: string) => boolean {
  return (text) => text.length <= maxLength && pattern.test(text);
}

const SEMVER = /^\d+(\.\d+){1,3}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/**
 * Strict, so that no argument looks like an option, a path that leads elsewhere, or a word of a shell that the operator's
 * command may start.
 */
const FORMS: Readonly<Record<PackageType, Form>> = {
  npm: {
    isIdentifier: like(/^(@[A-Za-z0-9][A-Za-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._-]*$/, 214),
    isVersion: like(SEMVER),
    base: /^https:\/\/registry\.npmjs\.org\/?$/,
  },
  pypi: {
    isIdentifier: like(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/),
    isVersion: like(/^(\d+!)?\d[0-9A-Za-z.+_-]*$/),
    base: /^https:\/\/pypi\.org\/?(simple\/?)?$/,
  },
  oci: {
    isIdentifier: like(
      /^[a-z0-9]+([._-]+[a-z0-9]+)*(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/,
    ),
    isVersion: like(/^\w[\w.-]{0,127}$/),
    base: /^https:\/\/docker\.io\/?$/,
  },
  nuget: {
    isIdentifier: like(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, 100),
    isVersion: like(SEMVER),
    base: /^https:\/\/api\.nuget\.org(\/v3\/index\.json|\/)?$/,
  },
  mcpb: {
    isIdentifier: like(/^https:\/\/[A-Za-z0-9][A-Za-z0-9.-]*(:\d{1,5})?(\/(?!\.\.?(\/|$))[\w.%+@-]+)+$/),
    isVersion: like(SEMVER),
    base: null,
  },
};
