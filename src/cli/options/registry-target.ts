import { homedir } from 'node:os';
import type { NamedServer } from '../../client-configs/named-server.ts';
import { readServers } from '../../client-configs/read-servers.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { decodeJson } from '../../json/decode-json.ts';
import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { shellQuote } from '../../judge/curl.ts';
import { refuseUrl } from '../../probe/address-guard.ts';
import { createConnectionPool } from '../../probe/connection-pool.ts';
import { fetchBody } from '../../probe/fetch-address.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { fromEnvironment } from './given-headers.ts';
import type { McpFlags } from './mcp-access.ts';
import type { CheckFlags } from './settings.ts';

interface RegistryFlags extends CheckFlags, McpFlags {
  readonly registry?: string;
}

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/**
 * The address of a server that a registry names, in the flags; null if the registry gave no answer: the reason was
 * printed. Anybody may have written what the registry says, so it gets no variable of the environment that the user does
 * not name, and no command of it is run.
 */
export async function registryTarget(
  registry: string,
  given: string | undefined,
  flags: RegistryFlags,
  signal: AbortSignal,
): Promise<{ url: undefined; flags: CheckFlags & { readonly mcp: string } } | null> {
  const [, name = '', version = 'latest'] = /^([^@\s]+\/[^@\s]+)(?:@(\S+))?$/.exec(given ?? '') ?? [];
  if (name === '')
    throw new UsageError(
      'Name a server of the registry, and a version if it is not the latest: probity check --registry URL com.example/weather@1.2.0',
    );
  const address = addressOf(registry, name, version);
  const server = await readServer(address, signal);
  if (server === null) return null;
  const { env = [], registry: _registry, ...rest } = flags;
  const environment = Object.fromEntries(env.map((one) => [one, fromEnvironment(one, process.env, '--env')]));
  const read = (member: 'remotes' | 'packages'): readonly NamedServer[] => {
    const list = ownProperty(server, member);
    if (!Array.isArray(list) || list.length === 0) return [];
    const source = { file: `${name} of the registry`, text: JSON.stringify({ [member]: list }) };
    return readServers(source, { environment, home: homedir() }, () => null);
  };
  const remotes = read('remotes');
  const remote = remotes.find(({ name: kind }) => kind.startsWith('streamable-http'));
  if (remote === undefined) throw notRemote(name, remotes, read('packages'));
  if (remote.kind === 'unresolved')
    throw new UsageError(
      `${visible(name)} needs a value for ${remote.missing.map(visible).join(', ')}. Set it in the environment, and pass it with ${remote.missing.map((one) => `--env ${visible(one)}`).join(' ')}.`,
    );
  if (remote.kind !== 'address') throw new UsageError(`${visible(name)} has no address that can be checked.`);
  const { url, headers } = remote.address;
  const publicOnly = flags.publicOnly === true || isPublic(address);
  refuseAddress(name, url, publicOnly);
  say(`registry: ${visible(registry)} has ${visible(name)} at ${visible(url)}`);
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return {
    url: undefined,
    flags: {
      ...rest,
      mcp: url,
      ...(lines.length === 0 ? {} : { header: [...lines, ...(flags.header ?? [])] }),
      ofFile: { file: `${name}@${version}`, command: null, secrets: remote.secrets },
      ...(publicOnly ? { publicOnly } : {}),
    } as CheckFlags & { readonly mcp: string },
  };
}

function addressOf(registry: string, name: string, version: string): string {
  const url = parseUrl(registry);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new UsageError(
      `--registry ${visible(registry)} is not the address of a registry. Write it without /v0.1, as in https://registry.example.org.`,
    );
  const base = url.href.replace(/\/+$/, '').replace(/\/v0(\.1)?(\/servers)?$/, '');
  return `${base}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
}

/** The `server.json` at an address; null without a usable answer: the reason was printed. */
async function readServer(address: string, signal: AbortSignal): Promise<Json | null> {
  const pool = createConnectionPool({
    publicOnly: false,
    ca: null,
    connectTimeoutMs: TIMEOUT_MS,
    viaProxy: true,
  });
  try {
    const { fetched, body } = await fetchBody(address, {
      publicOnly: false,
      pool,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      exact: true,
      headers: [
        ['accept', 'application/json'],
        ['accept-encoding', 'identity'],
        ['user-agent', `probity/${harnessVersion()} (registry)`],
      ],
      signal,
    });
    if (fetched.kind === 'unanswered')
      return noAnswer(`no answer from ${address}: ${fetched.reason.message}`);
    if (fetched.status === 404)
      throw new UsageError(`The registry has no such server and version: ${visible(address)} is a 404.`);
    if (fetched.status !== 200) return noAnswer(`${address} answers with the status ${fetched.status}`);
    const { value, problem } = decodeJson(body);
    const server = problem === null ? ownProperty(value, 'server') : undefined;
    return isJsonObject(server) ? server : noAnswer(`the answer of ${address} has no object "server"`);
  } finally {
    await pool.close();
  }
}

function noAnswer(problem: string): null {
  say(visible(`The registry gave no usable answer: ${problem}`));
  process.exitCode = EXIT.unreachable;
  return null;
}

function isPublic(address: string): boolean {
  const url = new URL(address);
  // The port does not show where the machine is.
  url.port = '';
  return refuseUrl(url) === null;
}

function refuseAddress(name: string, address: string, publicOnly: boolean): void {
  const url = parseUrl(address);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  const problem = isWeb ? (publicOnly ? refuseUrl(url) : null) : 'it is not an http or https address';
  if (problem === null) return;
  throw new UsageError(
    `The address of ${visible(name)} in the registry is not checked: ${visible(problem)}. To check that server anyway, pass its address with --mcp instead of --registry.`,
  );
}

/** A package is the command of a stranger, so it is printed and not run. */
function notRemote(
  name: string,
  remotes: readonly NamedServer[],
  packages: readonly NamedServer[],
): UsageError {
  const [first] = packages;
  if (first === undefined)
    return new UsageError(
      remotes.length > 0
        ? `${visible(name)} has no address of the type streamable-http, only ${remotes.map((one) => visible(one.name)).join(', ')}, which cannot be checked.`
        : `${visible(name)} has neither an address nor a package.`,
    );
  if (first.kind === 'unresolved')
    return new UsageError(
      `${visible(name)} is a package that needs a value for ${first.missing.map(visible).join(', ')}. Set it in the environment, and pass it with ${first.missing.map((one) => `--env ${visible(one)}`).join(' ')}, to see its command.`,
    );
  if (first.kind !== 'command')
    return new UsageError(
      `${visible(name)} cannot be checked: ${visible(first.kind === 'skipped' ? first.why : 'it has no command')}.`,
    );
  const command = first.command.words.map((word) => shellQuote(word)).join(' ');
  const env = Object.keys(first.command.env).map((one) => ` --env ${visible(one)}`);
  return new UsageError(
    `${visible(name)} is a package, which would run on this machine with your rights. If you trust it, check it with: probity check ${visible(shellQuote(command))}${env.join('')}`,
  );
}
