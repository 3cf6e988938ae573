import type { Secret } from '../model/probe.ts';
import type { Resolver } from './placeholders.ts';

/** How to start a server that speaks over its standard streams. */
export interface ServerCommand {
  readonly words: readonly [program: string, ...rest: string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ServerAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type NamedServer = { readonly name: string } & (
  | { readonly kind: 'command'; readonly command: ServerCommand; readonly secrets: readonly Secret[] }
  | { readonly kind: 'address'; readonly address: ServerAddress; readonly secrets: readonly Secret[] }
  /** The values of these are not known. */
  | { readonly kind: 'unresolved'; readonly missing: readonly string[] }
  | { readonly kind: 'skipped'; readonly why: string }
);

/** `--api-key VALUE` and `--token=VALUE`. */
const SECRET_FLAG = /^--?([a-z-]*(?:key|token|secret|passw(?:or)?d|credential|auth)[a-z-]*)(?:=(.+))?$/i;

/** The values of its environment, of its headers and of flags such as `--api-key` may all be secrets. */
export function named(
  resolver: Resolver,
  name: string,
  start: (Omit<ServerCommand, 'words'> & { readonly words: readonly string[] }) | ServerAddress,
): NamedServer {
  if (resolver.missing.size > 0) return { kind: 'unresolved', name, missing: [...resolver.missing] };
  if ('url' in start) return { kind: 'address', name, address: start, secrets: resolver.secrets };
  const [program, ...rest] = start.words;
  if (program === undefined || program === '') return { kind: 'skipped', name, why: 'its command is empty' };
  for (const [variable, value] of Object.entries(start.env)) resolver.keepSecret(value, variable);
  for (const [index, word] of rest.entries()) {
    const [, flag, value = rest[index + 1]] = SECRET_FLAG.exec(word) ?? [];
    if (flag !== undefined && value !== undefined)
      resolver.keepSecret(value, flag.replaceAll('-', '_').toUpperCase());
  }
  const command: ServerCommand = { ...start, words: [program, ...rest] };
  return { kind: 'command', name, command, secrets: resolver.secrets };
}
