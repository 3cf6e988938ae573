import { readFile, stat } from 'node:fs/promises';
import { readAuthorities, say, UsageError } from 'probity/command-line';
import { decodeJsonValue, isJsonObject, type Json, ownProperty, parseUrl, visible } from 'probity/model';
import { createConnectionPool, refuseUrl } from 'probity/service';
import type { Db } from '../db/tables.ts';
import { tidyStore } from '../db/tidy.ts';
import { noteAction } from '../entries/operator-log.ts';
import { type FollowedPass, followOnce } from '../registry/follow.ts';
import { readServers } from '../registry/read-page.ts';
import { followSource, leaveSource, lockWriters, readSources } from '../registry/sources.ts';
import { storeServers } from '../registry/store-servers.ts';
import { durationWords } from '../settings/durations.ts';
import { shellWord } from '../settings/shell-word.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import { commandFor, type StoreFlags, withNewStore, withStore } from './store-flags.ts';

export interface FollowFlags extends StoreFlags, AuthorFlags {
  /** In milliseconds. */
  readonly every?: number;
  readonly maxServers?: number;
  readonly stop?: boolean;
  readonly allowPrivate?: boolean;
  readonly ca?: string;
}

const DEFAULT_EVERY_MS = 3_600_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** Follows a registry, and reads it once now; or says which are followed. */
export async function follow(given: string | undefined, flags: FollowFlags): Promise<void> {
  if (given === undefined) return list(flags);
  const url = registryAddress(given, flags.allowPrivate === true);
  if (flags.stop === true) return stop(url, flags);
  await withNewStore(flags, async ({ db }) => {
    await startFollowing(db, [url], flags);
    await readOnce(db, url, flags);
    await tidyStore(db);
  });
}

/** Notes which registries are followed from now on. */
export async function startFollowing(
  db: Db,
  urls: readonly string[],
  flags: { readonly every?: number | undefined; readonly maxServers?: number | undefined } & AuthorFlags,
): Promise<void> {
  const known = new Set((await readSources(db)).flatMap(({ url, nextAt }) => (nextAt === null ? [] : url)));
  for (const url of urls) {
    await followSource(db, url, flags.every ?? DEFAULT_EVERY_MS, flags.maxServers ?? null);
    if (!known.has(url)) await noteAction(db, { operator: authorOf(flags), action: 'follow', details: url });
  }
}

async function readOnce(db: Db, url: string, flags: FollowFlags): Promise<void> {
  const publicOnly = flags.allowPrivate !== true;
  const ca = flags.ca === undefined ? null : await readAuthorities(flags.ca);
  const pool = createConnectionPool({
    publicOnly,
    ca,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    viaProxy: false,
  });
  const stopping = new AbortController();
  const onSignal = (): void => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const showProgress = ({ pages, servers }: FollowedPass): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${pages} pages, ${servers} servers`);
  };
  try {
    const pass = await followOnce({ db, pool, settings: { publicOnly } }, url, stopping.signal, showProgress);
    if (process.stderr.isTTY) process.stderr.write('\r');
    const { servers, changed, refused, lastRefusal, problem } = pass;
    say(`Read ${servers} versions of servers from ${url}: ${changed} new or changed, ${refused} refused.`);
    if (lastRefusal !== null) say(`  refused, among others: ${lastRefusal}`);
    const again = `${commandFor(`follow ${shellWord(url)}`, flags)} goes on from there, and so does a running service.`;
    if (problem !== null) {
      say(`The list could not be read to its end: ${problem}. ${again}`);
      process.exitCode = EXIT_UNREACHABLE;
    } else if (stopping.signal.aborted) say(`Stopped before the end. ${again}`);
    else say('A running service keeps it in step, and tests the servers that have an address.');
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    await pool.close();
  }
}

const EXIT_UNREACHABLE = 3;

async function stop(url: string, flags: FollowFlags): Promise<void> {
  await withStore(flags, async ({ db }) => {
    if (!(await leaveSource(db, url)))
      throw new UsageError(
        `${url} is not followed. These are: ${(await followed(db)).join(', ') || 'none'}.`,
      );
    await noteAction(db, { operator: authorOf(flags), action: 'unfollow', details: url });
  });
  say(`${url} is no longer followed. Its servers stay as they are.`);
}

async function followed(db: Db): Promise<readonly string[]> {
  return (await readSources(db)).flatMap(({ url, nextAt }) => (nextAt === null ? [] : url));
}

async function list(flags: StoreFlags): Promise<void> {
  const sources = await withStore(flags, ({ db }) => readSources(db));
  if (sources.length === 0) say(`No registry is followed. Follow one: ${commandFor('follow URL', flags)}`);
  for (const { url, servers, everyMs, nextAt, finishedAt, problem, refused, lastRefusal } of sources) {
    const pace = nextAt === null ? 'no longer followed' : `every ${durationWords(everyMs)}`;
    const read = finishedAt === null ? 'never read to its end' : `read ${finishedAt.toISOString()}`;
    process.stdout.write(`${url}  ${servers} servers  ${pace}  ${read}\n`);
    if (problem !== null) say(`  ${problem}`);
    if (refused > 0) say(`  ${refused} refused in the last pass, such as ${lastRefusal}`);
  }
}

/** The address before `/v0.1`, with which clients too are configured. */
export function registryAddress(given: string, allowPrivate: boolean): string {
  const url = parseUrl(given);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!isPlain)
    throw new UsageError(
      `${visible(given)} is not the address of a registry. Write it without /v0.1, as in https://registry.example.org.`,
    );
  const refusal = allowPrivate ? null : refuseUrl(url);
  if (refusal !== null)
    throw new UsageError(`${refusal}. To follow a registry on a private network, pass --allow-private.`);
  return url.href.replace(/\/+$/, '').replace(/\/v0(\.1)?(\/servers)?$/, '');
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const BATCH = 500;

/** The servers in a file: of one `server.json`, of a list of these, or of an answer of a registry. Null: it is another file. */
export async function serversIn(file: string): Promise<readonly Json[] | null> {
  if (!file.endsWith('.json')) return null;
  if ((await stat(file)).size > MAX_FILE_BYTES)
    throw new UsageError(
      `${file} has more than ${MAX_FILE_BYTES} bytes. Follow the registry instead: probity directory follow URL`,
    );
  const { value, problem } = decodeJsonValue(await readFile(file), file);
  if (problem !== null) return null;
  const list = Array.isArray(value) ? value : ownProperty(value, 'servers');
  const servers = Array.isArray(list) ? list : [value];
  const isServer = (one: Json): boolean => {
    const server = ownProperty(one, 'server') ?? one;
    const name = ownProperty(server, 'name');
    return isJsonObject(server) && typeof name === 'string' && name.includes('/') && !('listing' in server);
  };
  return servers.some(isServer) ? servers : null;
}

/** Imports servers with the word of the operator: no followed registry changes them later. All of them, or none. */
export async function importServers(
  file: string,
  values: readonly Json[],
  flags: StoreFlags & { readonly allowPrivate?: boolean },
): Promise<void> {
  const { servers, refused } = readServers(values);
  if (refused.length > 0)
    throw new UsageError(
      `${file} has servers that are not valid:\n${refused.slice(0, 10).join('\n')}\n\nNothing was imported. The schema is https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json.`,
    );
  const publicOnly = flags.allowPrivate !== true;
  await withNewStore(flags, ({ db }) =>
    db.transaction().execute(async (transaction) => {
      await lockWriters(transaction);
      for (let at = 0; at < servers.length; at += BATCH)
        await storeServers(transaction, servers.slice(at, at + BATCH), null, {
          publicOnly,
          now: new Date(),
          maxServers: null,
        });
    }),
  );
  say(
    `Imported ${servers.length} versions of servers from ${file}. Those with an address are listed when they have passed their first test.`,
  );
}
