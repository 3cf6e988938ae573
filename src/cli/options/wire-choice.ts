import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../command-line/exit-codes.ts';
import { shorten } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';

/** What the user says that a target speaks: the three endpoints, or the Model Context Protocol. */
export type WireChoice = 'rest' | 'mcp';

/** Ends a run against an address that turns out to be an endpoint of the Model Context Protocol. */
export class SpeaksMcp extends Error {
  override readonly name = 'SpeaksMcp';
  readonly url: string;

  constructor(url: string) {
    super(`${url} speaks the Model Context Protocol`);
    this.url = url;
  }
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Whether a target is a command and not an address: several words, or the path or the name of a program. */
export function isCommand(target: string): boolean {
  const text = target.trim();
  return text !== '' && !SCHEME.test(text) && (/\s/.test(text) || isProgram(text));
}

/** The path of a program may have spaces: a shell would start another one. */
export function commandOf(target: string): string | readonly [program: string] {
  return /\s/.test(target) && isProgram(target) ? [target] : target;
}

/** The command that a target is if it is no address. */
export function requireCommand(target: string): string | readonly [program: string] {
  if (isCommand(target)) return commandOf(target);
  throw new UsageError(
    `${visible(shorten(target))} is neither an address nor a command. Write an address with http:// or https://, and a command as you would in a shell, such as "node server.js".`,
  );
}

/** A base address has no query, and an endpoint of the Model Context Protocol may have one. */
export function hasQuery(target: string): boolean {
  return SCHEME.test(target) && URL.canParse(target) && new URL(target).search !== '';
}

function isProgram(name: string): boolean {
  const folders = /[/\\]/.test(name) ? [''] : (process.env.PATH ?? '').split(path.delimiter);
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  return folders.some((folder) => endings.some((ending) => isExecutable(path.join(folder, name + ending))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
