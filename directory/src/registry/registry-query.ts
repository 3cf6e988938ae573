import { badParameters, type ParameterProblem } from '../http/problem.ts';

/** Where a page of the list begins: after this row, in the order of the list. */
export interface Position {
  /** Of a list of updates, which is in the order of their times; null: in the order of names. */
  readonly updatedAt: Date | null;
  readonly isFollowed: boolean;
  readonly name: string;
  readonly version: string;
}

/** A request for a page of the list of servers. */
export interface ListQuery {
  readonly after: Position | null;
  readonly limit: number;
  /** Part of a name, in lower case; null: all names. */
  readonly search: string | null;
  readonly updatedSince: Date | null;
  /** `latest` or an exact version; null: all versions. */
  readonly version: string | null;
  /** A list of updates always has the deleted ones. */
  readonly includesDeleted: boolean;
}

const DEFAULT_LIMIT = 30;
const MAX_LIMIT = 100;
const MAX_TEXT_LENGTH = 255;
const MAX_CURSOR_LENGTH = 1000;
const MAX_TIME_MS = 253_402_300_800_000;

export type Parameters = ReadonlyMap<string, readonly string[]>;

const LIST_PARAMETERS = ['cursor', 'limit', 'search', 'updated_since', 'version', 'include_deleted'] as const;
type ListParameter = (typeof LIST_PARAMETERS)[number];

/**
 * Reads the query of a list. An empty parameter counts as missing, as clients send it. Pure.
 *
 * @throws Problem when a parameter is invalid
 */
export function readListQuery(given: Parameters): ListQuery {
  const problems = problemsOf(given, LIST_PARAMETERS);
  const text = (name: ListParameter): string | null => {
    const value = given.get(name)?.[0] ?? '';
    if (name !== 'cursor' && value.length > MAX_TEXT_LENGTH)
      problems.push({ parameter: name, detail: `is longer than ${MAX_TEXT_LENGTH} characters` });
    return value === '' ? null : value;
  };
  const limitText = text('limit') ?? String(DEFAULT_LIMIT);
  const limit = /^\d{1,6}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    problems.push({ parameter: 'limit', detail: `must be a whole number from 1 to ${MAX_LIMIT}` });
  const since = text('updated_since');
  const updatedSince = since === null ? null : timeIn(since);
  if (since !== null && updatedSince === null)
    problems.push({ parameter: 'updated_since', detail: 'is not a time such as 2026-11-29T12:00:00Z' });
  const deleted = text('include_deleted') ?? 'false';
  if (deleted !== 'true' && deleted !== 'false')
    problems.push({ parameter: 'include_deleted', detail: 'must be true or false' });
  const cursor = text('cursor');
  const after = cursor === null ? null : positionIn(cursor);
  if (cursor !== null && (after === null || (after.updatedAt === null) !== (updatedSince === null)))
    problems.push({ parameter: 'cursor', detail: 'is not the nextCursor of an answer to the same request' });
  const [search, version] = [text('search'), text('version')];
  if (problems.length > 0) throw badParameters(problems);
  return {
    after,
    limit,
    search: search?.toLowerCase() ?? null,
    updatedSince,
    version,
    includesDeleted: deleted === 'true' || updatedSince !== null,
  };
}

/**
 * Whether deleted versions are wanted, of the requests about one server. Pure.
 *
 * @throws Problem when a parameter is invalid
 */
export function wantsDeleted(given: Parameters): boolean {
  const problems = problemsOf(given, ['include_deleted']);
  const deleted = given.get('include_deleted')?.[0] ?? '';
  if (!['', 'true', 'false'].includes(deleted))
    problems.push({ parameter: 'include_deleted', detail: 'must be true or false' });
  if (problems.length > 0) throw badParameters(problems);
  return deleted === 'true';
}

/** Unknown parameters are ignored, because clients of other registries may send theirs. */
function problemsOf(given: Parameters, known: readonly string[]): ParameterProblem[] {
  return known.flatMap((parameter) => {
    const values = given.get(parameter) ?? [];
    if (values.length > 1) return [{ parameter, detail: 'is given more than once' }];
    return values.some((value) => value.includes('\0'))
      ? [{ parameter, detail: 'contains the character U+0000' }]
      : [];
  });
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

/** A time of RFC 3339; null for any other text. Pure. */
export function timeIn(text: string): Date | null {
  const time = RFC_3339.test(text) ? new Date(text) : null;
  return time !== null && time.getTime() >= 0 && time.getTime() < MAX_TIME_MS ? time : null;
}

/** A position as clients get it: they need not know what it contains. Pure. */
export function cursorOf({ updatedAt, isFollowed, name, version }: Position): string {
  return Buffer.from(JSON.stringify([updatedAt?.getTime() ?? null, isFollowed, name, version])).toString(
    'base64url',
  );
}

function positionIn(cursor: string): Position | null {
  if (cursor.length > MAX_CURSOR_LENGTH) return null;
  try {
    const [updatedAtMs, isFollowed, name, version, ...more] = JSON.parse(
      Buffer.from(cursor, 'base64url').toString('utf8'),
    ) as readonly unknown[];
    const isTime =
      updatedAtMs === null ||
      (Number.isInteger(updatedAtMs) && Math.abs(updatedAtMs as number) < MAX_TIME_MS);
    const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
    if (!isTime || typeof isFollowed !== 'boolean' || !isText(name) || !isText(version) || more.length > 0)
      return null;
    const updatedAt = updatedAtMs === null ? null : new Date(updatedAtMs as number);
    return { updatedAt, isFollowed, name, version };
  } catch {
    return null;
  }
}
