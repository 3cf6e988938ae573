import type { AcceptedFinding } from '../model/judgement.ts';
import type { Secret } from '../model/probe.ts';
import type { RunSettings } from '../model/report.ts';
import type { Suite } from '../model/suite.ts';
import type { GivenHeader, GivenTokens } from '../probe/given-headers.ts';
import type { CheckOptions } from './check-options.ts';
import { givenTokens } from './given-tokens.ts';
import type { McpOptions } from './mcp-options.ts';
import { givenHeaders } from './request-headers.ts';
import { authoritiesOf, settingsOf, targetUrlOf } from './run-settings.ts';

/** The options of a check, settled once before it starts. It can be sent to a thread. */
export interface CheckInput {
  readonly targetUrl: string;
  readonly settings: RunSettings;
  /** Sent with every request. */
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
  /** Sent instead of the user's token, where a step says so. */
  readonly tokens: GivenTokens;
  /** Certificate authorities to trust; null for the default ones. */
  readonly ca: string | null;
  readonly mcp: McpOptions | undefined;
  /** The entries of a baseline. */
  readonly knownFailures: readonly AcceptedFinding[];
  /** Undefined for those of the product. */
  readonly suites: readonly Suite[] | undefined;
}

/** @throws TargetError or OptionError for a mistake in the address or the options */
export function checkInputOf(url: string, options: CheckOptions): CheckInput {
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false, options.mcp);
  const { headers, secrets } = givenHeaders(options);
  const others = givenTokens(options, headers);
  return {
    targetUrl,
    settings: settingsOf(options, targetUrl),
    headers,
    secrets: [...secrets, ...others.secrets],
    tokens: others.tokens,
    ca: authoritiesOf(options),
    mcp: options.mcp,
    knownFailures: options.knownFailures ?? [],
    suites: options.suites,
  };
}
