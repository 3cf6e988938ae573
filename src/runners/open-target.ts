import type { CheckOptions } from '../app/check-options.ts';
import { authoritiesOf, givenHeaders } from '../app/run-settings.ts';
import { commandTarget } from '../cli/options/mcp-target.ts';
import { type McpTarget, remoteTarget } from '../mcp/remote-target.ts';
import { startBridge } from '../mcp/start-bridge.ts';
import { secretsInQuery } from '../probe/redactor.ts';
import { systemClock } from '../probe/system-clock.ts';
import { harnessVersion } from '../suite/product-files.ts';

/** A bridge for one check waits as long as the check does. */
const TIMEOUT_MS = 3_600_000;

export interface OpenedServer {
  readonly url: string;
  readonly options: CheckOptions;
  readonly stop: () => Promise<void>;
}

/** Opens a bridge to a server of the Model Context Protocol. */
export async function openMcpServer(
  mcp: string,
  env: readonly string[] | undefined,
  given: CheckOptions,
  startTimeoutMs: number,
): Promise<OpenedServer> {
  const { open, channels, redactor } = /^https?:\/\//i.test(mcp)
    ? addressTarget(mcp, given)
    : commandTarget(mcp, env === undefined ? {} : { env }, () => undefined);
  const bridge = await startBridge({
    form: given.form === 'A' ? 'A' : 'B',
    sessions: 1,
    open,
    channels,
    redactor,
    timeoutMs: TIMEOUT_MS,
    startTimeoutMs,
    clientVersion: harnessVersion(),
    clock: systemClock,
  });
  try {
    const { info } = await bridge.first;
    const { transport, protocolVersion } = info;
    // The bridge uses the access to the server, and needs none itself.
    const { headers: _headers, bearerToken: _token, bearerEnv, ca: _ca, publicOnly: _only, ...rest } = given;
    const bridged = {
      address: redactor.text(mcp),
      transport,
      protocolVersion,
      ...(env === undefined ? {} : { env }),
      ...(bearerEnv === undefined ? {} : { bearerEnv }),
    };
    return { url: bridge.url, options: { ...rest, bridged }, stop: () => bridge.close() };
  } catch (error) {
    await bridge.close();
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(redactor.text(message), { cause: error });
  }
}

function addressTarget(address: string, options: CheckOptions): McpTarget {
  const { headers, secrets } = givenHeaders(options);
  return remoteTarget({
    url: address,
    headers,
    secrets: [...secrets, ...secretsInQuery(address)],
    publicOnly: options.publicOnly ?? false,
    ca: authoritiesOf(options),
    viaProxy: true,
  });
}
