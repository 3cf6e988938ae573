import { homedir } from 'node:os';
import { givenHeaders } from '../../check/request-headers.ts';
import type { NamedServer } from '../../client-configs/named-server.ts';
import { readServers } from '../../client-configs/read-servers.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { type Json, ownProperty } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { shellQuote } from '../../judge/curl.ts';
import { OptionError } from '../../model/arguments.ts';
import { refuseUrl } from '../../probe/address-guard.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { SuiteError } from '../../suite/yaml/diagnostic.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { fromEnvironment } from './given-headers.ts';
import type { McpFlags } from './mcp-access.ts';
import { addressOf, LATEST, readRegistryAnswer } from './registry-answer.ts';
import type { CheckFlags } from './settings.ts';

interface RegistryFlags extends CheckFlags, McpFlags {
  readonly registry?: string;
}

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
  const [, name = '', version = LATEST] = /^([^@\s]+\/[^@\s]+)(?:@(\S+))?$/.exec(given ?? '') ?? [];
  if (name === '')
    throw new UsageError(
      'Name a server of the registry, and a version if it is not the latest: probity check --registry URL com.example/weather@1.2.0',
    );
  const address = addressOf(registry, name, version);
  const answer = await readRegistryAnswer(address, { name, version }, signal);
  if (answer === null) return null;
  const { server, status } = answer;
  const title = `${name}@${answer.version}`;
  if (status !== 'active') {
    const why = answer.statusMessage === null ? '' : `: ${answer.statusMessage}`;
    say(visible(`warning: the registry has marked ${title} as ${status}${why}`));
  }
  const { env = [], registry: _registry, ...rest } = flags;
  const environment = Object.fromEntries(env.map((one) => [one, fromEnvironment(one, process.env, '--env')]));
  const read = (member: Member): readonly NamedServer[] =>
    readEach(name, ownProperty(server, member), member, environment);
  const remotes = read('remotes');
  const usable = remotes.filter(({ kind, name: type }) => kind !== 'skipped' && type === 'streamable-http');
  const remote = usable.find(({ kind }) => kind === 'address') ?? usable[0];
  if (remote === undefined) throw notRemote(name, remotes, read('packages'));
  if (remote.kind === 'unresolved')
    throw new UsageError(
      `${visible(name)} needs a value for ${remote.missing.map(visible).join(', ')}. Set it in the environment, and pass it with ${remote.missing.map((one) => `--env ${visible(one)}`).join(' ')}.`,
    );
  if (remote.kind !== 'address') throw new UsageError(`${visible(name)} has no address that can be checked.`);
  const { url, headers } = remote.address;
  const publicOnly = flags.publicOnly === true || isPublic(address);
  refuseAddress(name, url, publicOnly);
  refuseHeaders(name, headers);
  const shown = createRedactor(remote.secrets).text(url);
  say(`registry: ${visible(registry)} has ${visible(title)} at ${visible(shown)}`);
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return {
    url: undefined,
    flags: {
      ...rest,
      mcp: url,
      ...(lines.length === 0 ? {} : { header: [...lines, ...(flags.header ?? [])] }),
      ofFile: {
        file: visible(status === 'active' ? title : `${title} (${status})`),
        command: null,
        secrets: remote.secrets,
      },
      ...(publicOnly ? { publicOnly } : {}),
    } as CheckFlags & { readonly mcp: string },
  };
}

type Member = 'remotes' | 'packages';

/** Each on its own, so that one that is not valid does not hide the others. */
function readEach(
  name: string,
  list: Json | undefined,
  member: Member,
  environment: Readonly<Record<string, string>>,
): readonly NamedServer[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list))
    return [{ kind: 'skipped', name: member, why: `what the registry has as ${member} is not a list` }];
  return list.map((one, at): NamedServer => {
    const source = { file: `${name} of the registry`, text: JSON.stringify({ [member]: [one] }) };
    const problem = (why: string): NamedServer => ({ kind: 'skipped', name: `${member}/${at}`, why });
    try {
      const [server] = readServers(source, { environment, home: homedir() }, () => null);
      return server ?? problem('it is empty');
    } catch (error) {
      if (!(error instanceof SuiteError)) throw error;
      // Not the whole message, whose excerpt would be of a text that nobody has.
      return problem(`${member}/${at}: ${error.diagnostics[0]?.message ?? 'it is not valid'}`);
    }
  });
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
  const problem = !isWeb
    ? 'it is not an http or https address'
    : url.username !== '' || url.password !== ''
      ? 'it has a user and a password'
      : publicOnly
        ? refuseUrl(url)
        : null;
  if (problem === null) return;
  throw new UsageError(
    `The address of ${visible(name)} in the registry is not checked: ${visible(problem)}. To check that server anyway, pass its address with --mcp instead of --registry.`,
  );
}

/** The registry is to blame for its headers, and not the options of the user. */
function refuseHeaders(name: string, headers: Readonly<Record<string, string>>): void {
  try {
    givenHeaders({ headers });
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new UsageError(
      `${visible(name)} is not checked, because the registry names a header for it that cannot be sent. ${visible(error.message)} To check that server anyway, pass its address with --mcp instead of --registry.`,
    );
  }
}

/** A package is the command of a stranger, so it is printed and not run. */
function notRemote(
  name: string,
  remotes: readonly NamedServer[],
  packages: readonly NamedServer[],
): UsageError {
  // Of several, one that can be started is of more use than the reason why another cannot.
  const first = packages.find(({ kind }) => kind !== 'skipped') ?? packages[0];
  if (first === undefined) {
    const [wrong] = remotes.flatMap((one) => (one.kind === 'skipped' ? one.why : []));
    if (wrong !== undefined)
      return new UsageError(`${visible(name)} has no address that can be checked: ${visible(wrong)}.`);
    return new UsageError(
      remotes.length > 0
        ? `${visible(name)} has no address of the type streamable-http, only ${remotes.map((one) => visible(one.name)).join(', ')}, which cannot be checked.`
        : `${visible(name)} has neither an address nor a package.`,
    );
  }
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
