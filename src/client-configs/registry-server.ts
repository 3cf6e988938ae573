import type { Node } from 'jsonc-parser';
import { npxWords } from '../text/npx-words.ts';
import type { JsonFile } from './json-file.ts';
import { type NamedServer, named } from './named-server.ts';
import { Resolver, type Surroundings } from './placeholders.ts';

/**
 * The servers of a `server.json` of the registry of the Model Context Protocol: its npm packages, started with npx, and
 * its remotes. Null if the file is none. Pure.
 */
export function registryServers(file: JsonFile, surroundings: Surroundings): readonly NamedServer[] | null {
  if (file.root.type !== 'object') return null;
  const root = file.members(file.root, 'the file');
  const [packages, remotes] = [root.get('packages'), root.get('remotes')];
  if (packages === undefined && remotes === undefined) return null;
  const read = (list: Node | undefined, what: string, one: (reader: EntryReader) => NamedServer) =>
    list === undefined
      ? []
      : file.items(list, what).map((node) => one(new EntryReader(file, node, new Resolver(surroundings))));
  return [
    ...read(packages, 'packages', (reader) => reader.package(surroundings.workspace)),
    ...read(remotes, 'remotes', (reader) => reader.remote()),
  ];
}

/** Reads one package or remote. Where it needs a value that the user gives, that is an environment variable. */
class EntryReader {
  readonly #file: JsonFile;
  readonly #node: Node;
  readonly #resolver: Resolver;
  readonly #members: ReadonlyMap<string, Node>;

  constructor(file: JsonFile, node: Node, resolver: Resolver) {
    this.#file = file;
    this.#node = node;
    this.#resolver = resolver;
    this.#members = file.members(node, 'an entry');
  }

  package(workspace: string): NamedServer {
    const kind =
      this.#text('registryType') ?? this.#text('registry_type') ?? this.#text('registry_name') ?? '';
    const identifier = this.#required('identifier', this.#text('identifier') ?? this.#text('name'));
    const transport = this.#members.get('transport');
    const type = transport === undefined ? 'stdio' : this.#textIn(transport, 'type');
    const skipped = (why: string): NamedServer => ({ kind: 'skipped', name: kind || identifier, why });
    if (kind !== 'npm')
      return skipped(
        `${identifier} is a package of the kind ${kind || 'unknown'}, and only npm packages can be started`,
      );
    if (type !== 'stdio')
      return skipped(`${identifier} serves over ${type}: start it, and check its address`);
    const npx = npxWords({
      identifier,
      version: this.#text('version'),
      registry: this.#text('registryBaseUrl'),
    });
    return named(this.#resolver, 'npm', {
      words: [
        this.#text('runtimeHint') ?? npx.program,
        ...this.#arguments('runtimeArguments', [npx.consent]),
        ...npx.from,
        npx.name,
        ...this.#arguments('packageArguments', []),
      ],
      env: this.#keyValues('environmentVariables', (name) => name),
      cwd: workspace,
    });
  }

  remote(): NamedServer {
    const type = this.#text('type') ?? this.#text('transport_type') ?? 'streamable-http';
    const url = this.#required('url', this.#text('url'));
    const variables = this.#membersOf(this.#node, 'variables');
    return named(this.#resolver, type, {
      url: this.#address(url, variables),
      headers: this.#keyValues('headers', inVariable),
    });
  }

  #arguments(name: string, standard: readonly string[]): readonly string[] {
    const list = this.#members.get(name);
    if (list === undefined) return standard;
    return this.#file.items(list, name).flatMap((node) => {
      const members = this.#file.members(node, `an argument of ${name}`);
      const isNamed = members.get('type')?.value === 'named';
      const flag = isNamed ? [this.#textIn(node, 'name')] : [];
      const hint = members.get('valueHint') ?? members.get('name');
      const value = this.#value(node, inVariable(typeof hint?.value === 'string' ? hint.value : name));
      if (value === null) return members.get('isRequired')?.value === true || !isNamed ? [] : flag;
      return [...flag, value];
    });
  }

  #keyValues(name: string, variableOf: (key: string) => string): Readonly<Record<string, string>> {
    const list = this.#members.get(name);
    if (list === undefined) return {};
    return Object.fromEntries(
      this.#file.items(list, name).flatMap((node): [string, string][] => {
        const key = this.#textIn(node, 'name');
        const value = this.#value(node, variableOf(key));
        return value === null ? [] : [[key, value]];
      }),
    );
  }

  /** What is written, or the environment variable of that name, or the default; null if it may be left out. */
  #value(node: Node, variable: string): string | null {
    const members = this.#file.members(node, variable);
    const written = members.get('value');
    if (written !== undefined)
      return this.#filled(this.#file.text(written, 'value'), this.#membersOf(node, 'variables'));
    const value = this.#resolver.variable(variable) ?? this.#default(members);
    if (value === null && members.get('isRequired')?.value === true) this.#resolver.missing.add(variable);
    return value;
  }

  /** `{name}` is a variable that the entry declares. */
  #filled(text: string, variables: ReadonlyMap<string, Node>): string {
    return text.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
      const declared = variables.get(name);
      return declared === undefined ? whole : (this.#value(declared, inVariable(name)) ?? whole);
    });
  }

  /** No address has a `{name}` of its own, so each one needs a value, whether the entry declares it or not. */
  #address(text: string, variables: ReadonlyMap<string, Node>): string {
    return this.#filled(text, variables).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
      const variable = inVariable(name);
      const value = variables.has(name) ? null : this.#resolver.variable(variable);
      if (value === null) this.#resolver.missing.add(variable === '' ? whole : variable);
      return value ?? whole;
    });
  }

  #default(members: ReadonlyMap<string, Node>): string | null {
    const node = members.get('default');
    return node === undefined ? null : String(node.value);
  }

  #membersOf(node: Node, name: string): ReadonlyMap<string, Node> {
    const inner = this.#file.members(node, 'an entry').get(name);
    return inner === undefined ? new Map() : this.#file.members(inner, name);
  }

  #text(name: string): string | null {
    const node = this.#members.get(name);
    return node === undefined ? null : this.#file.text(node, name);
  }

  #textIn(node: Node, name: string): string {
    const inner = this.#file.members(node, 'an entry').get(name);
    return this.#required(name, inner === undefined ? null : this.#file.text(inner, name), node);
  }

  #required(name: string, value: string | null, node = this.#node): string {
    if (value !== null) return value;
    throw this.#file.wrong(
      node,
      `an entry has no ${name}`,
      `Add "${name}", as the schema of server.json says.`,
      'missing-key',
    );
  }
}

function inVariable(name: string): string {
  return name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}
