import { UsageError } from '../../command-line/exit-codes.ts';
import { matchesGlob } from '../../model/glob.ts';
import { nearest } from '../../model/nearest-name.ts';
import type { TargetConfig } from '../../suite/target-configs.ts';
import type { ServerFlags } from './listed-target.ts';
import { usualConfig } from './settings.ts';

/** The flags that select among several targets. */
export interface TargetsFlags {
  /** Names and globs. */
  readonly target?: readonly string[];
  readonly jobs?: number;
}

export interface ConfiguredTargets {
  readonly configFile: string;
  readonly targets: readonly TargetConfig[];
}

/** These name the target themselves. */
const OTHER_TARGETS = ['server', 'directory', 'listing'] as const;

/** The targets of the configuration that are to be checked; null if the command line or the configuration names one. */
export async function configuredTargets(
  given: string | undefined,
  flags: ServerFlags & TargetsFlags,
): Promise<ConfiguredTargets | null> {
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
  return { configFile, targets: flags.target === undefined ? targets : selected(targets, flags.target) };
}

async function targetsIn(configFile: string): Promise<readonly TargetConfig[]> {
  const { readConfig } = await import('../../suite/read-config.ts');
  const { targetConfigs } = await import('../../suite/target-configs.ts');
  return targetConfigs(readConfig(configFile));
}

function selected(targets: readonly TargetConfig[], wanted: readonly string[]): readonly TargetConfig[] {
  const names = targets.map(({ name }) => name);
  for (const pattern of wanted) {
    if (names.some((name) => matchesGlob(pattern, name))) continue;
    const meant = nearest(pattern, names);
    throw new UsageError(
      `--target: no target of the configuration is called ${pattern}. ${meant === undefined ? `Its targets are ${namedWords(names)}.` : `Did you mean ${meant}?`}`,
    );
  }
  return targets.filter(({ name }) => wanted.some((pattern) => matchesGlob(pattern, name)));
}

const MAX_NAMED = 10;

function namedWords(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
