import path from 'node:path';
import type { Secret } from '../model/probe.ts';
import { secretsIn } from '../probe/redactor.ts';

/** What the placeholders of a file stand for. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Null if unknown. */
  readonly home: string | null;
  /** The folder that a client opens. */
  readonly workspace: string;
  /** Defaults of the inputs that a file declares, by id; null for one without a default. */
  readonly inputs: ReadonlyMap<string, string | null>;
}

const PLACEHOLDER = /\$\{([^{}]*)\}|\{env:([^{}]*)\}/g;
const NAME_WITH_DEFAULT = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/** Replaces the placeholders of the texts of one server; notes what is missing, and which values may be secrets. */
export class Resolver {
  readonly missing = new Set<string>();
  readonly secrets: Secret[] = [];
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  text(text: string): string {
    return text.replaceAll(
      PLACEHOLDER,
      (whole, inDollars: string | undefined, inBraces: string | undefined) => {
        const value = inBraces === undefined ? this.#value(inDollars ?? '') : this.variable(inBraces);
        if (value === null)
          this.missing.add(inDollars?.includes(':') === true ? inputWords(inDollars) : whole);
        return value ?? whole;
      },
    );
  }

  record(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, this.text(value)]));
  }

  /** The value of an environment variable, which may be a secret; null if it is not set. */
  variable(name: string): string | null {
    const value = this.#surroundings.environment[name];
    if (value === undefined || value === '') return null;
    this.keepSecret(value, name);
    return value;
  }

  keepSecret(value: string, variable: string): void {
    this.secrets.push(...secretsIn(value, variable));
  }

  #value(content: string): string | null {
    const { home, workspace, inputs } = this.#surroundings;
    switch (content) {
      case 'workspaceFolder':
      case 'workspaceRoot':
        return workspace;
      case 'workspaceFolderBasename':
        return path.basename(workspace);
      case 'userHome':
        return home;
      case 'pathSeparator':
      case '/':
        return path.sep;
    }
    if (content.startsWith('env:')) return this.variable(content.slice('env:'.length));
    if (content.startsWith('input:')) {
      const id = content.slice('input:'.length);
      return this.variable(inputVariable(id)) ?? inputs.get(id) ?? null;
    }
    const [, name, otherwise] = NAME_WITH_DEFAULT.exec(content) ?? [];
    return name === undefined ? null : (this.variable(name) ?? otherwise ?? null);
  }
}

/** Editors ask the user for an input; here it is an environment variable: `api-key` is API_KEY. */
function inputVariable(id: string): string {
  return id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}

function inputWords(content: string): string {
  return content.startsWith('input:')
    ? `\${${content}}, which is read from ${inputVariable(content.slice('input:'.length))}`
    : `\${${content}}`;
}
