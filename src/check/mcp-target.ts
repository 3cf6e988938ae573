import { setMaxListeners } from 'node:events';
import type { Clock } from '../model/probe.ts';
import { type RunSettings, START_TIMEOUT_MS } from '../model/report.ts';
import { createRedactor } from '../probe/redactor.ts';
import { McpProbe, type OpenTarget } from '../run/conversations/mcp-probe.ts';
import { openHttp } from '../run/conversations/open-http.ts';
import { openProcess } from '../run/conversations/open-process.ts';
import { harnessVersion } from '../suite/product-files.ts';
import type { CheckOptions } from './check-options.ts';
import { type McpOptions, secretsOf } from './mcp-options.ts';
import { givenHeaders } from './request-headers.ts';
import { authoritiesOf } from './run-settings.ts';

/** Sends the messages of a run to the server. */
export function createMcpProbe(
  url: string,
  options: CheckOptions & { readonly mcp: McpOptions },
  { mcp: server, publicOnly }: RunSettings,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): McpProbe {
  // Each message that waits for its answer listens to it, and a load has hundreds.
  setMaxListeners(0, signal);
  const { mcp } = options;
  const { headers, secrets: ofHeaders } = givenHeaders(options);
  const secrets = [...ofHeaders, ...secretsOf(url, mcp)];
  const redactor = createRedactor(secrets);
  const client = { name: 'probity', version: harnessVersion() };
  const common = { handshake: true, client, signal, clock, redactor };
  const { command, env = {}, cwd = null } = mcp;
  const ca = authoritiesOf(options);
  const openTarget: OpenTarget = (asked) =>
    command === undefined
      ? openHttp({ ...common, ...asked, url, headers, secrets, publicOnly, ca })
      : openProcess({ ...common, ...asked, command, env, cwd });
  return new McpProbe({
    openTarget,
    era: server?.era ?? 'auto',
    client,
    startTimeoutMs: server?.startTimeoutMs ?? START_TIMEOUT_MS,
    signal,
    nowMs: () => clock.nowMs(),
  });
}
