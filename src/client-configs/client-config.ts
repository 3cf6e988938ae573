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
    return new ServerReader(file, name, node, resolver, readEnvFile).read(surroundings.workspace);
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

class ServerReader {
  readonly #file: JsonFile;
  readonly #name: string;
  readonly #node: Node;
  readonly #resolver: Resolver;
  readonly #readEnvFile: ReadEnvFile;
  readonly #members: ReadonlyMap<string, Node>;

  constructor(file: JsonFile, name: string, node: Node, resolver: Resolver, readEnvFile: ReadEnvFile) {
    this.#file = file;
    this.#name = name;
    this.#node = node;
    this.#resolver = resolver;
    this.#readEnvFile = readEnvFile;
    this.#members = file.members(node, `the server ${name}`);
  }

  read(workspace: string): NamedServer {
    if (this.#flag('disabled') === true || this.#flag('enabled') === false)
      return { kind: 'skipped', name: this.#name, why: 'it is disabled in the file' };
    const type = this.#type();
    if (type !== null && !OVER_STREAMS.has(type) && !OVER_HTTP.has(type))
      return { kind: 'skipped', name: this.#name, why: `servers of the type ${type} cannot be checked` };
    const [command, url] = [this.#member('command'), this.#member('url')];
    const overHttp = type === null ? command === undefined : OVER_HTTP.has(type);
    const node = overHttp ? url : command;
    if (node === undefined) throw this.#without(overHttp ? 'url' : 'command');
    return overHttp ? this.#address(node) : this.#command(node, workspace);
  }

  #command(node: Node, workspace: string): NamedServer {
    const [file, resolver] = [this.#file, this.#resolver];
    // opencode has the arguments in the command, and older versions of Zed have all in it.
    const inside = node.type === 'object' ? file.members(node, 'command') : null;
    const member = (name: keyof typeof MEMBERS): Node | undefined => inside?.get(name) ?? this.#member(name);
    const program = inside?.get('path') ?? node;
    const args = member('args');
    const words = [
      ...(program.type === 'array' ? file.texts(program, 'command') : [file.text(program, 'command')]),
      ...(args === undefined ? [] : file.texts(args, 'args')),
    ];
    const [cwd, env, envFile] = [member('cwd'), member('env'), member('envFile')];
    const fromFile = envFile === undefined ? {} : this.#envOf(file.text(envFile, 'envFile'));
    return named(resolver, this.#name, {
      words: words.map((word) => resolver.text(word)),
      env: { ...fromFile, ...(env === undefined ? {} : resolver.record(file.record(env, 'env'))) },
      cwd: cwd === undefined ? workspace : resolver.text(file.text(cwd, 'cwd')),
    });
  }

  #envOf(given: string): Readonly<Record<string, string>> {
    const name = this.#resolver.text(given);
    const read = this.#readEnvFile(name);
    if (read === null) this.#resolver.missing.add(`the file ${name}`);
    return read ?? {};
  }

  #address(node: Node): NamedServer {
    const [file, resolver] = [this.#file, this.#resolver];
    const headers = this.#member('headers');
    return named(resolver, this.#name, {
      url: resolver.text(file.text(node, 'url')),
      headers: headers === undefined ? {} : resolver.record(file.record(headers, 'headers')),
    });
  }

  #type(): string | null {
    const node = this.#member('type');
    return node === undefined ? null : this.#file.text(node, 'type').toLowerCase().replaceAll('_', '-');
  }

  #without(name: 'command' | 'url'): Error {
    const other = this.#member('type') === undefined;
    return this.#file.wrong(
      this.#node,
      `the server ${this.#name} has no ${other ? 'command and no url' : name}`,
      'Add a command with its args, or the url of an endpoint.',
      'missing-key',
    );
  }

  #member(name: keyof typeof MEMBERS): Node | undefined {
    for (const one of MEMBERS[name]) {
      const node = this.#members.get(one);
      if (node !== undefined && node.type !== 'null') return node;
    }
    return undefined;
  }

  #flag(name: string): unknown {
    const node = this.#members.get(name);
    return node === undefined ? undefined : getNodeValue(node);
  }
}
