import { readFile, stat } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { ExpectedError } from 'probity/model';
import type { TargetKeys } from '../settings/settings.ts';

/** The file with the keys of targets cannot be used; the message contains the remedy. */
class TargetKeysError extends ExpectedError {
  override readonly name = 'TargetKeysError';
}

const PREFIX = 'PROBITY_TARGET_';
const LOOK_EVERY_MS = 1000;
/** Read and write for the group, and for everybody. */
const READABLE_BY_OTHERS = 0o077;

/**
 * Reads the keys of targets from a file of lines such as `PROBITY_TARGET_FORECAST=…`, and again when it changes. They come
 * before those of the environment. While a changed file cannot be used, the keys stay as they are, and `warn` says why.
 *
 * @throws TargetKeysError when the file cannot be used at first
 */
export async function openTargetKeys(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  warn: (words: string) => void,
): Promise<TargetKeys> {
  const current: Record<string, string | undefined> = { ...environment };
  const listeners = new Set<(names: readonly string[]) => void>();
  let known: Readonly<Record<string, string>> = {};
  let seen = '';
  const look = async (): Promise<void> => {
    const version = await versionOf(file);
    if (version === seen) return;
    const keys = await readKeys(file);
    seen = version;
    const names = new Set([...Object.keys(known), ...Object.keys(keys)]);
    const changed = [...names].filter((name) => known[name] !== keys[name]);
    for (const name of changed) current[name] = keys[name] ?? environment[name];
    known = keys;
    if (changed.length > 0) for (const listener of listeners) listener(changed);
  };
  await look();
  if (((await stat(file)).mode & READABLE_BY_OTHERS) !== 0 && process.platform !== 'win32')
    warn(`${file} contains keys, and other users of this machine can read it. Run: chmod 600 ${file}`);
  let problem = '';
  const timer = setInterval(() => {
    look()
      .then(() => {
        problem = '';
      })
      .catch((error: Error) => {
        if (error.message !== problem) warn(`${error.message} The keys stay as they were.`);
        problem = error.message;
      });
  }, LOOK_EVERY_MS).unref();
  return {
    environment: current,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => clearInterval(timer),
  };
}

/** Differs when the file was written, or replaced by another one. */
async function versionOf(file: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error);
  });
  return `${mtimeMs} ${size} ${ino}`;
}

async function readKeys(file: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error);
  });
  const keys = parseEnv(text) as Readonly<Record<string, string>>;
  const other = Object.keys(keys).find((name) => !name.startsWith(PREFIX));
  if (other !== undefined)
    throw new TargetKeysError(
      `${file} sets "${other.slice(0, 80)}", which is no key of a server. Each line must be ${PREFIX} and the id in capitals, with every other character as "_", then "=" and the key.`,
    );
  return keys;
}

function unreadable(file: string, { code = 'unknown' }: NodeJS.ErrnoException): TargetKeysError {
  const why =
    code === 'ENOENT' ? 'it does not exist' : code === 'EACCES' ? 'this user may not read it' : code;
  return new TargetKeysError(
    `The keys of servers cannot be read from ${file}: ${why}. Create it with lines such as ${PREFIX}FORECAST=the-key, and run: chmod 600 ${file}`,
  );
}
