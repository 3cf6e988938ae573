import { UsageError } from '../../command-line/exit-codes.ts';
import type { RawConfig } from '../../suite/config/config-language.ts';
import type { TargetConfig } from '../../suite/config/parse-config.ts';
import { matchesGlob } from '../../text/glob.ts';
import { nearest } from '../../text/nearest-name.ts';
import { namesInLine } from '../../text/words.ts';
import type { ServerFlags } from './listed-target.ts';
import type { McpFlags } from './mcp-access.ts';
import { readConfig, usualConfig } from './settings.ts';
import type { SourceTarget } from './targets-of-file.ts';

export interface TargetsFlags {
  /** Names and globs. */
  readonly target?: readonly string[];
  /** A client's configuration, or a server.json. */
  readonly from?: string;
  readonly jobs?: number;
}

export interface SeveralTargets {
  /** What the file is: a configuration of Probity, or one that names servers for clients. */
  readonly kind: 'configuration' | 'servers';
  readonly file: string;
  readonly targets: readonly SourceTarget[];
}

/** These name the target themselves. */
const OTHER_TARGETS = ['server', 'directory', 'listing', 'registry'] as const;

/** The targets of the configuration or of --from that are to be checked; null if something else names one. */
export async function severalTargets(
  given: string | undefined,
  flags: ServerFlags & TargetsFlags,
): Promise<SeveralTargets | null> {
  if (flags.from !== undefined) return targetsFrom(flags.from, given, flags);
  const other = given === undefined ? OTHER_TARGETS.find((name) => flags[name] !== undefined) : 'address';
  const asked = flags.target !== undefined ? '--target' : flags.jobs !== undefined ? '--jobs' : null;
  if (other !== undefined) {
    if (asked === null) return null;
    throw new UsageError(
      `${asked} applies to the targets of a configuration, and the ${other === 'address' ? other : `option --${other}`} names one itself. Remove one of the two.`,
    );
  }
  const configFile = usualConfig(flags);
  const targets = configFile === null ? [] : await targetsIn(configFile);
  if (configFile === null || targets.length === 0) {
    if (asked === null) return null;
    throw new UsageError(
      `${asked} applies to the targets of a configuration, and ${configFile === null ? 'there is no configuration' : `${configFile} has none`}. List them under \`targets\` in probity.config.yaml.`,
    );
  }
  return {
    kind: 'configuration',
    file: configFile,
    targets: selected(targets, flags.target, 'the configuration'),
  };
}

/** These name another target, or are for all servers of the file, which names its own. */
const NOT_WITH_FROM = {
  server: '--server',
  directory: '--directory',
  listing: '--listing',
  header: '--header',
  bearerEnv: '--bearer-env',
  expiredBearerEnv: '--expired-bearer-env',
  otherAudienceBearerEnv: '--other-audience-bearer-env',
  otherBearerEnv: '--other-bearer-env',
} as const;

const NO_SETTINGS: RawConfig = { config: 'v1', place: { line: 1, column: 1, length: 1 }, keyPlaces: {} };

async function targetsFrom(
  from: string,
  given: string | undefined,
  flags: Pick<ServerFlags, 'config' | keyof typeof NOT_WITH_FROM> & TargetsFlags,
): Promise<SeveralTargets> {
  if (given !== undefined)
    throw new UsageError('The target and --from both name what is checked: remove one of the two.');
  for (const [name, written] of Object.entries(NOT_WITH_FROM) as [keyof typeof NOT_WITH_FROM, string][])
    if (flags[name] !== undefined)
      throw new UsageError(
        `${written} cannot be combined with --from, whose file names the servers and what each needs. Remove one of the two.`,
      );
  // The configuration of this folder describes another server, and may have its keys.
  const config = flags.config === undefined ? NO_SETTINGS : await readConfig(flags.config);
  const { targetsOfFile } = await import('./targets-of-file.ts');
  const { targets: _own, ...shared } = config;
  const targets = selected(targetsOfFile(from, shared), flags.target, from);
  return { kind: 'servers', file: from, targets };
}

/** A server by its name in a file: the target, and the flags with what the file says that it needs. */
export async function serverOfFile<Flags extends McpFlags>(
  file: string,
  name: string,
  flags: Flags,
): Promise<{ readonly target: string; readonly flags: Flags }> {
  if (flags.env !== undefined)
    throw new UsageError('--env and --from both say what the server gets: remove one of the two.');
  const [server, other] = (await targetsFrom(file, undefined, { ...flags, target: [name] })).targets;
  if (server === undefined || other !== undefined)
    throw new UsageError(`${name} stands for several servers of ${file}. Give the name of one.`);
  const { mcp: target, header, ofFile, missing = [] } = server;
  if (target === undefined)
    throw new UsageError(`${name} has no value for ${missing.join(', ')}. Set it in the environment.`);
  // The configuration of this folder describes another server, and may have its keys.
  const own = { ...flags, configured: server, ofFile };
  return { target, flags: header === undefined ? own : { ...own, header } };
}

async function targetsIn(configFile: string): Promise<readonly TargetConfig[]> {
  const { targetConfigs } = await import('../../suite/config/parse-config.ts');
  return targetConfigs(await readConfig(configFile));
}

function selected(
  targets: readonly SourceTarget[],
  wanted: readonly string[] | undefined,
  file: string,
): readonly SourceTarget[] {
  if (wanted === undefined) return targets;
  const names = targets.map(({ name }) => name);
  for (const pattern of wanted) {
    if (names.some((name) => matchesGlob(pattern, name))) continue;
    const meant = nearest(pattern, names);
    throw new UsageError(
      `--target: no target of ${file} is called ${pattern}. ${meant === undefined ? `Its targets are ${namesInLine(names)}.` : `Did you mean ${meant}?`}`,
    );
  }
  return targets.filter(({ name }) => wanted.some((pattern) => matchesGlob(pattern, name)));
}
