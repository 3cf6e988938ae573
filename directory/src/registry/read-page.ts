import { decodeJson, isJsonObject, type Json, ownProperty, shorten, visible } from 'probity/model';
import { timeIn } from './registry-query.ts';
import { DIRECTORY_KEY } from './server-answer.ts';
import { readServerJson, type ServerDocument } from './server-json.ts';

/** A version of a server, as another registry or a file has it. */
export interface ForeignServer extends ServerDocument {
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly statusMessage: string | null;
  readonly isLatest: boolean;
  readonly publishedAt: Date | null;
  readonly updatedAt: Date | null;
}

export interface ForeignPage {
  readonly servers: readonly ForeignServer[];
  /** Null: it is the last page. */
  readonly nextCursor: string | null;
  /** Servers that are not valid, and why. */
  readonly refused: readonly string[];
}

/** A list that cannot be used at all. Its message says what is wrong with it. */
export class PageProblem extends Error {
  override readonly name = 'PageProblem';
}

const MAX_SERVERS = 1000;
const MAX_CURSOR_LENGTH = 2000;
const MAX_MESSAGE = 500;
const OFFICIAL_KEY = 'io.modelcontextprotocol.registry/official';
const STATUSES = ['active', 'deprecated', 'deleted'] as const;

/**
 * Reads a page of the list of a registry. One server that is not valid does not keep the others away; a page that is not
 * a list does. Pure.
 *
 * @throws PageProblem
 */
export function readPage(body: Buffer): ForeignPage {
  const decoded = decodeJson(body);
  if (decoded.problem !== null) throw new PageProblem(`the answer is not JSON: ${decoded.problem.message}`);
  const servers = ownProperty(decoded.value, 'servers');
  if (!Array.isArray(servers)) throw new PageProblem('the answer has no list "servers"');
  if (servers.length > MAX_SERVERS)
    throw new PageProblem(`a page has ${servers.length} servers; the maximum is ${MAX_SERVERS}`);
  return { ...readServers(servers), nextCursor: cursorIn(ownProperty(decoded.value, 'metadata')) };
}

function cursorIn(metadata: Json | undefined): string | null {
  // The first version of the API wrote it in the other way.
  const cursor = ownProperty(metadata, 'nextCursor') ?? ownProperty(metadata, 'next_cursor') ?? null;
  if (cursor === null || cursor === '') return null;
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_LENGTH || cursor.includes('\0'))
    throw new PageProblem(`nextCursor is not a text of up to ${MAX_CURSOR_LENGTH} characters`);
  return cursor;
}

/** Reads servers as a list has them, or as files: with or without what the registry says about each. Pure. */
export function readServers(values: readonly Json[]): Omit<ForeignPage, 'nextCursor'> {
  const refused: string[] = [];
  const servers = new Map<string, ForeignServer>();
  for (const [at, value] of values.entries()) {
    const read = readServer(value);
    // What a page says twice counts as it says it last.
    if (!('problem' in read)) servers.set(`${read.name} ${read.version}`, read);
    else refused.push(`${nameOf(value) ?? `number ${at + 1} of the page`}: ${visible(read.problem)}`);
  }
  return { servers: [...servers.values()], refused };
}

function nameOf(value: Json): string | null {
  const name = ownProperty(ownProperty(value, 'server') ?? value, 'name');
  return typeof name === 'string' ? visible(shorten(name)) : null;
}

function readServer(value: Json): ForeignServer | { readonly problem: string } {
  const server = ownProperty(value, 'server') ?? value;
  const read = readServerJson(server);
  if ('problem' in read) return read;
  const meta = ownProperty(ownProperty(value, '_meta'), OFFICIAL_KEY);
  const said = meta === undefined ? {} : meta;
  if (!isJsonObject(said)) return { problem: `_meta has no object "${OFFICIAL_KEY}"` };
  const given = ownProperty(said, 'status') ?? 'active';
  const status = STATUSES.find((one) => one === given);
  if (status === undefined) return { problem: `its status is none of ${STATUSES.join(', ')}` };
  // Another directory says it under its own key.
  const message =
    ownProperty(said, 'statusMessage') ??
    ownProperty(ownProperty(ownProperty(value, '_meta'), DIRECTORY_KEY), 'statusMessage');
  return {
    ...read,
    status,
    statusMessage:
      typeof message === 'string' && message !== '' ? visible(shorten(message, MAX_MESSAGE)) : null,
    isLatest: ownProperty(said, 'isLatest') !== false,
    publishedAt: time(ownProperty(said, 'publishedAt')),
    updatedAt: time(ownProperty(said, 'updatedAt')),
  };
}

function time(value: Json | undefined): Date | null {
  return typeof value === 'string' ? timeIn(value) : null;
}
