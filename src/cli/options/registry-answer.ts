import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { decodeJson } from '../../json/decode-json.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty, ownText } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { createConnectionPool } from '../../probe/connection-pool.ts';
import { fetchBody } from '../../probe/fetch-address.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import { parseUrl } from '../../text/parse-url.ts';

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Where a registry has a version of a server. */
export function addressOf(registry: string, name: string, version: string): string {
  const url = parseUrl(registry);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new UsageError(
      `--registry ${visible(registry)} is not the address of a registry. Write it without /v0.1, as in https://registry.example.org.`,
    );
  const base = url.href.replace(/\/+$/, '').replace(/\/v0(\.1)?(\/servers)?$/, '');
  return `${base}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
}

/** What a registry says about a version of a server. */
interface RegistryAnswer {
  /** The `server.json`. */
  readonly server: JsonObject;
  readonly version: string;
  /** `active`, `deprecated` or `deleted`. */
  readonly status: string;
  /** Why it is so; null if the registry does not say it. */
  readonly statusMessage: string | null;
}

/** The answer at an address; null without a usable one: the reason was printed. */
export async function readRegistryAnswer(
  address: string,
  asked: { readonly name: string; readonly version: string },
  signal: AbortSignal,
): Promise<RegistryAnswer | null> {
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
    const answer = problem === null ? answerIn(value, asked) : 'it is not JSON';
    return typeof answer === 'string'
      ? noAnswer(`the answer of ${address} is not usable: ${answer}`)
      : answer;
  } finally {
    await pool.close();
  }
}

/** Or why it is none. A registry must not lead the user to another server than the one that they named. */
function answerIn(
  value: Json | undefined,
  asked: { readonly name: string; readonly version: string },
): RegistryAnswer | string {
  const server = ownProperty(value, 'server');
  if (!isJsonObject(server)) return 'it has no object "server"';
  const [name, version] = [ownText(server, 'name'), ownText(server, 'version')];
  if (name === null || version === null) return 'its server has no name or no version';
  if (name !== asked.name || (asked.version !== LATEST && version !== asked.version))
    return `it is about ${name}@${version}, and not about ${asked.name}@${asked.version}`;
  const meta = ownProperty(value, '_meta');
  const [official, probity] = [ownProperty(meta, OFFICIAL_KEY), ownProperty(meta, DIRECTORY_KEY)];
  return {
    server,
    version,
    status: ownText(official, 'status') ?? 'active',
    statusMessage: ownText(official, 'statusMessage') ?? ownText(probity, 'statusMessage'),
  };
}

export const LATEST = 'latest';
const OFFICIAL_KEY = 'io.modelcontextprotocol.registry/official';
/** Of a directory of Probity, because the official members of `_meta` have no place for a reason. */
const DIRECTORY_KEY = 'io.github.probity-mcp/directory';

function noAnswer(problem: string): null {
  say(visible(`The registry gave no usable answer: ${problem}`));
  process.exitCode = EXIT.unreachable;
  return null;
}
