import type { RawConfig } from './config-language.ts';

/** A target that a configuration names, with the configuration that applies to it. */
export interface TargetConfig {
  readonly name: string;
  readonly url: string | undefined;
  readonly mcp: string | undefined;
  readonly env: readonly string[] | undefined;
  readonly start: string | undefined;
  readonly config: RawConfig;
}

/** The targets of a configuration; none if it describes only one. Pure. */
export function targetConfigs({ targets = [], ...shared }: RawConfig): readonly TargetConfig[] {
  return targets.map(({ name, url, mcp, env, start, ...own }) => ({
    name: name.value,
    url,
    mcp,
    env,
    start,
    config: { ...shared, ...own },
  }));
}
