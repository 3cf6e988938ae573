import { CHECK_OPTIONS, type CheckOptions } from '../check/check-options.ts';
import { settingsOf } from '../check/run-settings.ts';
import {
  anyFunction,
  listOf,
  OptionError,
  record,
  requireArguments,
  required,
  text,
  textNotEmpty,
} from '../model/arguments.ts';
import type { Kinds } from '../model/kind.ts';
import { targetKindOf } from '../model/report.ts';
import { selectSteps } from '../run/steps/selection.ts';
import { loadSuites } from '../suite/load-suites.ts';

/** A server that was started for the check. */
export interface StartedTarget {
  /** The base address of the server. */
  readonly url: string;
  /** Stops it after the check. */
  readonly stop?: () => unknown;
}

/** Where the server is. Exactly one of `url`, `start` and `mcp` is given. */
export interface SuiteTarget {
  /** The base address of a server that runs already; with `directory`, of a directory. */
  readonly url?: string;
  /** Starts the server; it is stopped after the check. */
  readonly start?: () => StartedTarget | Promise<StartedTarget>;
  /** A server of the Model Context Protocol: its command for a shell, or its address. */
  readonly mcp?: string;
  /** Names of environment variables to pass to the command of `mcp`. */
  readonly env?: readonly string[];
}

/** The target, and the options of `checkServer`. Response times are measured only if `latency` is given. */
export interface ProbitySuiteOptions
  extends SuiteTarget,
    Omit<CheckOptions, 'mcp' | 'listingGiven' | 'onProgress' | 'onSpan' | 'onUnlikeAnswer'> {
  /** The title of the group of tests; default: `probity` and the target. */
  readonly title?: string;
}

const {
  mcp: _mcpOption,
  listingGiven: _listing,
  onProgress: _progress,
  onSpan: _span,
  onUnlikeAnswer: _unlike,
  ...COMMON
} = CHECK_OPTIONS;

const SUITE_OPTIONS = {
  ...COMMON,
  title: textNotEmpty,
  url: text,
  start: anyFunction,
  mcp: textNotEmpty,
  env: listOf(text),
} satisfies Kinds<ProbitySuiteOptions>;

/** @throws OptionError when an option is unknown, of the wrong kind, or contradicts another one */
export function requireSuiteOptions(options: ProbitySuiteOptions): void {
  requireArguments('probitySuite', { options }, { options: required(record(SUITE_OPTIONS)) });
  const given = (['url', 'start', 'mcp'] as const).filter((name) => options[name] !== undefined);
  if (given.length !== 1)
    throw new OptionError(
      given[1] ?? 'url',
      given.length === 0
        ? 'No target. Give the address of a server as `url`, a function that starts it as `start`, or a server of the Model Context Protocol as `mcp`.'
        : `${given.map((name) => `\`${name}\``).join(' and ')} name several targets. Give one of them.`,
    );
  if (options.env !== undefined && options.mcp === undefined)
    throw new OptionError('env', '`env` applies only to the command of `mcp`. Remove it.');
  if (options.directory !== undefined && options.mcp !== undefined)
    throw new OptionError('directory', '`directory` needs the address of a directory as `url`, not `mcp`.');
}

/** What the tests of a suite are called together. */
export function titleOf({ title, url, mcp }: ProbitySuiteOptions): string {
  return title ?? ['probity', ...[url ?? mcp ?? []].flat()].join(' ');
}

/** The options of the check itself. */
export function checkOptionsOf(options: ProbitySuiteOptions): CheckOptions {
  const { title: _title, url: _url, start: _start, mcp, env = [], ...rest } = options;
  const common = { ...rest, latency: rest.latency ?? { off: true } };
  if (mcp === undefined) return common;
  if (/^https?:\/\//i.test(mcp)) return { ...common, mcp: {} };
  return { ...common, mcp: { command: mcp, env: Object.fromEntries(env.map(variable)) } };
}

function variable(name: string): [name: string, value: string] {
  const value = process.env[name];
  if (value === undefined) throw new OptionError('env', `The environment variable ${name} is not set.`);
  return [name, value];
}

/**
 * A test for each requirement that a check with these options decides: its id, and a name with id and words.
 *
 * @throws OptionError when `only` or `skip` names an unknown requirement, or nothing is left to decide
 */
export async function plannedTests(options: ProbitySuiteOptions) {
  const settings = settingsOf(checkOptionsOf(options), options.mcp ?? options.url);
  const suites = options.suites ?? (await loadSuites([], targetKindOf(settings))).suites;
  const { requirements } = selectSteps(suites, settings);
  return [...requirements.values()].map(({ id, text }) => ({ id, name: `${id}: ${text}` }));
}
