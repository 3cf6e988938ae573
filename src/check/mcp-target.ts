import { setMaxListeners } from 'node:events';
import type { Clock } from '../model/probe.ts';
import { START_TIMEOUT_MS } from '../model/report.ts';
import { OTHER_USER } from '../model/wire.ts';
import { type GivenHeader, givenTo } from '../probe/given-headers.ts';
import { createRedactor } from '../probe/redactor.ts';
import { McpProbe, type OpenTarget } from '../run/conversations/mcp-probe.ts';
import { openHttp } from '../run/conversations/open-http.ts';
import { openProcess } from '../run/conversations/open-process.ts';
import { harnessVersion } from '../suite/product-files.ts';
import type { CheckInput } from './check-input.ts';
import { type McpOptions, secretsOf } from './mcp-options.ts';

export function createMcpProbe(
  {
    targetUrl: url,
    mcp,
    settings: { mcp: server, publicOnly, answers = {} },
    headers,
    tokens,
    secrets: ofHeaders,
    ca,
  }: CheckInput & { readonly mcp: McpOptions },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): McpProbe {
  // Each message that waits for its answer listens to it, and a load has hundreds.
  setMaxListeners(0, signal);
  const secrets = [...ofHeaders, ...secretsOf(url, mcp)];
  const redactor = createRedactor(secrets);
  const client = { name: 'probity', version: harnessVersion() };
  const common = { handshake: true, signal, clock, redactor };
  const { command, env = {}, cwd = null } = mcp;
  // One that is opened again has a name that begins alike.
  const headersIn = (name: string): readonly GivenHeader[] =>
    name.startsWith(OTHER_USER) ? givenTo({ token: 'other' }, { headers, tokens }) : headers;
  const openTarget: OpenTarget = (asked) =>
    command === undefined
      ? openHttp({
          ...common,
          ...asked,
          url,
          headers: headersIn(asked.name),
          secrets,
          tokens,
          publicOnly,
          ca,
        })
      : openProcess({ ...common, ...asked, command, env, cwd });
  return new McpProbe({
    openTarget,
    era: server?.era ?? 'auto',
    client,
    answers,
    redact: redactor.text,
    startTimeoutMs: server?.startTimeoutMs ?? START_TIMEOUT_MS,
    signal,
    nowMs: () => clock.nowMs(),
  });
}
