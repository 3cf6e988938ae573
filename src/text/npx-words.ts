const NPM_REGISTRY = 'https://registry.npmjs.org';

interface NpmPackage {
  readonly identifier: string;
  readonly version: string | null;
  /** Null: the usual one. */
  readonly registry: string | null;
}

/** How npx runs a package of a `server.json`, before and after the arguments that the file itself names. Pure. */
export function npxWords({ identifier, version, registry }: NpmPackage) {
  const isUsual = registry === null || registry.replace(/\/+$/, '') === NPM_REGISTRY;
  return {
    program: 'npx',
    /** Unless the file has others: not to ask before a package is installed. */
    consent: '-y',
    from: isUsual ? [] : [`--registry=${registry}`],
    name: version === null ? identifier : `${identifier}@${version}`,
  } as const;
}
