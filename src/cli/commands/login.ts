import { EXIT, listenError, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { LoginError, login } from '../../login/login.ts';
import { listenForRedirect } from '../../login/redirect-listener.ts';
import { isSuccess } from '../../model/exchange.ts';
import { refuseUrl } from '../../probe/address-guard.ts';
import { createGuardedFetch } from '../../probe/guarded-fetch.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { openHttp } from '../../run/conversations/open-http.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import { bearerIn } from '../../wires/mcp/authorization.ts';
import { fromEnvironment } from '../options/given-headers.ts';
import { accessOfAddress, isAddress, type McpFlags } from '../options/mcp-access.ts';
import { interruptible } from '../process/interruptible.ts';

interface LoginFlags extends Pick<McpFlags, 'ca' | 'publicOnly'> {
  readonly clientId?: string;
  /** The environment variable with the secret of the client. */
  readonly clientSecretEnv?: string;
  readonly scope?: string;
  readonly port: number;
  /** In seconds, for the user to log in. */
  readonly timeout: number;
}

type Access = Awaited<ReturnType<typeof accessOfAddress>>;

const REQUEST_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/** Prints a token for a server on standard output, and everything else on standard error. */
export async function loginTo(target: string, flags: LoginFlags): Promise<void> {
  if (!isAddress(target))
    throw new UsageError(
      'A command needs no login: pass what it needs with --env. Give the address of a server.',
    );
  if (flags.clientSecretEnv !== undefined && flags.clientId === undefined)
    throw new UsageError('--client-secret-env needs --client-id, the id of the client that has the secret.');
  const access = await accessOfAddress(target, flags);
  const interrupt = interruptible('ending the login; ctrl-C again to stop at once');
  const timeout = AbortSignal.timeout(flags.timeout * 1000);
  const signal = AbortSignal.any([interrupt.signal, timeout]);
  try {
    const challenge = await challengeOf(access, signal);
    process.stdout.write(`${await tokenFor(access, challenge, flags, signal)}\n`);
  } catch (error) {
    if (timeout.aborted)
      say(`Nobody logged in within ${flags.timeout} seconds. Allow more time with --timeout.`);
    else if (error instanceof LoginError) say(error.message);
    else if (!interrupt.signal.aborted) throw error;
    process.exitCode = EXIT.fail;
  } finally {
    interrupt.done();
  }
}

/** What the server says when it refuses a client without a token. */
async function challengeOf({ url, publicOnly, ca }: Access, signal: AbortSignal) {
  const opening = await openHttp({
    url,
    headers: [],
    secrets: [],
    publicOnly,
    ca,
    era: 'auto',
    handshake: true,
    client: { name: 'probity', version: harnessVersion() },
    startTimeoutMs: REQUEST_MS,
    signal,
    clock: systemClock,
    redactor: createRedactor([]),
  });
  if (opening.kind === 'open') {
    await opening.conversation.close();
    say('The server answers requests without a token. It may want one for some of its tools only.');
  }
  const answers = opening.exchanges.flatMap((one) => (one.kind === 'answered' ? [one.response] : []));
  const refusal = answers.find(({ status }) => status === 401);
  if (refusal === undefined && !answers.some(({ status }) => isSuccess(status)))
    throw new LoginError(opening.kind === 'open' ? 'The server opened no conversation.' : opening.message);
  const parameters = bearerIn(refusal?.headers ?? [])?.parameters;
  return {
    metadataUrl: parameters?.get('resource_metadata') ?? null,
    scope: parameters?.get('scope') ?? null,
  };
}

async function tokenFor(
  { url, publicOnly, ca }: Access,
  challenge: Awaited<ReturnType<typeof challengeOf>>,
  flags: LoginFlags,
  signal: AbortSignal,
): Promise<string> {
  // A server on the internet must not lead this machine into the private network around it.
  const isPublic = refuseUrl(new URL(url)) === null;
  const guarded = createGuardedFetch({
    publicOnly: publicOnly || isPublic,
    ca,
    viaProxy: true,
    connectTimeoutMs: REQUEST_MS,
    maxBytes: MAX_BYTES,
  });
  const listener = await listenForRedirect(flags.port).catch((error: unknown) => {
    throw listenError(error, { host: '127.0.0.1', port: flags.port });
  });
  const { clientId, clientSecretEnv, scope = null } = flags;
  const secret =
    clientSecretEnv === undefined
      ? null
      : fromEnvironment(clientSecretEnv, process.env, '--client-secret-env');
  try {
    return await login({
      serverUrl: url,
      challenge,
      fetch: (address, init) => guarded.fetch(address, { ...init, signal }),
      listener,
      client: clientId === undefined ? null : { id: clientId, secret },
      scope,
      onAddress: (address) => say(`Open this address in a browser on this machine, and log in:\n${address}`),
      signal,
    });
  } finally {
    listener.close();
    await guarded.close();
  }
}
