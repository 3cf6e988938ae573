import { findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser';
import type { JsonFile } from './json-file.ts';
import { type NamedServer, named } from './named-server.ts';
import { Resolver, type Surroundings } from './placeholders.ts';

// The package @gleanwork/mcp-config-schema (5.2.0) has a table of clients, too, but for writing their files: it has one
// name for each member, does not read comments, placeholders, `cwd` or disabled servers, needs to know which client
// wrote the file, and comes with glob, js-yaml, smol-toml, mkdirp and zod. What its table says about files in JSON is in
// the two tables below.

/** Where clients keep their servers by name; the first that a file has counts. */
const PLACES: readonly (readonly string[])[] = [
  // Claude, Cursor, Windsurf, Gemini, JetBrains, Cline, LM Studio and others
  ['mcpServers'],
  // VS Code and Visual Studio: mcp.json, and settings.json
  ['servers'],
  ['mcp', 'servers'],
  // opencode
  ['mcp'],
  // Zed
  ['context_servers'],
  // Amp
  ['amp.mcpServers'],
];

/** What clients call the same member; the first that a server has counts. */
const MEMBERS = {
  type: ['type', 'transport', 'transportType'],
  command: ['command', 'cmd'],
  args: ['args'],
  env: ['env', 'environment', 'envs'],
  envFile: ['envFile'],
  cwd: ['cwd'],
  url: ['url', 'serverUrl', 'httpUrl', 'uri'],
  headers: ['headers', 'http_headers'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const OVER_STREAMS: ReadonlySet<string> = new Set(['stdio', 'local']);
const OVER_HTTP: ReadonlySet<string> = new Set([
  'http',
  'sse',
  'streamable-http',
  'streamablehttp',
  'remote',
]);

/** Reads the variables of a file that a configuration names; null if that is impossible. */
export type ReadEnvFile = (file: string) => Readonly<Record<string, string>> | null;

/** The servers of a client's configuration; null if the file has none of the places where clients keep them. Pure. */
export function clientServers(
  file: JsonFile,
  surroundings: Surroundings,
  readEnvFile: ReadEnvFile,
): readonly NamedServer[] | null {
  const place = PLACES.find((one) => findNodeAtLocation(file.root, [...one])?.type === 'object');
  const servers = place === undefined ? undefined : findNodeAtLocation(file.root, [...place]);
  if (place === undefined || servers === undefined) return null;
  const inputs = inputsOf(file, place.slice(0, -1));
  return [...file.members(servers, place.join('.'))].map(([name, node]) => {
    const resolver = new Resolver({ ...surroundings, inputs });
    return readServer(file, name, node, resolver, { workspace: surroundings.workspace, readEnvFile });
  });
}

export function placesWords(): string {
  return PLACES.map((place) => `"${place.join('.')}"`).join(', ');
}

function inputsOf(file: JsonFile, at: readonly string[]): ReadonlyMap<string, string | null> {
  const node = findNodeAtLocation(file.root, [...at, 'inputs']);
  const inputs: unknown = node === undefined ? [] : getNodeValue(node);
  return new Map(
    (Array.isArray(inputs) ? inputs : []).flatMap((input: unknown): [string, string | null][] => {
      if (typeof input !== 'object' || input === null || !('id' in input)) return [];
      const standard = 'default' in input && typeof input.default === 'string' ? input.default : null;
      return [[String(input.id), standard]];
    }),
  );
}

function readServer(
  file: JsonFile,
  name: string,
  node: Node,
  resolver: Resolver,
  { workspace, readEnvFile }: Pick<Surroundings, 'workspace'> & { readonly readEnvFile: ReadEnvFile },
): NamedServer {
  const members = file.members(node, `the server ${name}`);
  const member = (wanted: keyof typeof MEMBERS, inside?: ReadonlyMap<string, Node>): Node | undefined =>
    inside?.get(wanted) ??
    MEMBERS[wanted].map((one) => members.get(one)).find((one) => one !== undefined && one.type !== 'null');
  const flag = (wanted: string): unknown => {
    const found = members.get(wanted);
    return found === undefined ? undefined : getNodeValue(found);
  };

  if (flag('disabled') === true || flag('enabled') === false)
    return { kind: 'skipped', name, why: 'it is disabled in the file' };
  const typeNode = member('type');
  const type = typeNode && file.text(typeNode, 'type').toLowerCase().replaceAll('_', '-');
  if (type !== undefined && !OVER_STREAMS.has(type) && !OVER_HTTP.has(type))
    return { kind: 'skipped', name, why: `servers of the type ${type} cannot be checked` };
  const overHttp = type === undefined ? member('command') === undefined : OVER_HTTP.has(type);
  const start = member(overHttp ? 'url' : 'command');
  if (start === undefined)
    throw file.wrong(
      node,
      `the server ${name} has no ${type === undefined ? 'command and no url' : overHttp ? 'url' : 'command'}`,
      'Add a command with its args, or the url of an endpoint.',
      'missing-key',
    );
  const recordOf = (found: Node | undefined, what: string): Readonly<Record<string, string>> =>
    found === undefined ? {} : resolver.record(file.record(found, what));
  if (overHttp) {
    const url = resolver.text(file.text(start, 'url'));
    return named(resolver, name, { url, headers: recordOf(member('headers'), 'headers') });
  }

  // opencode has the arguments in the command, and older versions of Zed have all in it.
  const inside = start.type === 'object' ? file.members(start, 'command') : undefined;
  const program = inside?.get('path') ?? start;
  const args = member('args', inside);
  const words = [
    ...(program.type === 'array' ? file.texts(program, 'command') : [file.text(program, 'command')]),
    ...(args === undefined ? [] : file.texts(args, 'args')),
  ];
  const envFileNode = member('envFile', inside);
  const envFile = envFileNode && resolver.text(file.text(envFileNode, 'envFile'));
  const fromFile = envFile === undefined ? {} : readEnvFile(envFile);
  if (fromFile === null) resolver.missing.add(`the file ${envFile}`);
  const cwd = member('cwd', inside);
  return named(resolver, name, {
    words: words.map((word) => resolver.text(word)),
    env: { ...fromFile, ...recordOf(member('env', inside), 'env') },
    cwd: cwd === undefined ? workspace : resolver.text(file.text(cwd, 'cwd')),
  });
}
