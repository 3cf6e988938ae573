import type { ServerRow } from './read-servers.ts';

/** The schema of all documents that the registry API sends. */
export const SERVER_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
export const OFFICIAL_KEY = 'io.modelcontextprotocol.registry/official';
/** The members of `_meta` that this directory adds, by the name of the project. */
export const DIRECTORY_KEY = 'io.github.probity-mcp/directory';

/** What the names and links of an answer depend on. */
export interface AnswerBasis {
  readonly namespace: string;
  /** The address of the directory, without a trailing slash. */
  readonly address: string;
}

/** The answer about one version of a server, as JSON. Pure. */
export function answerOf(row: ServerRow, basis: AnswerBasis): string {
  return `{"server":${serverOf(row, basis.namespace)},"_meta":${JSON.stringify({
    // The official document of the API allows no other members.
    [OFFICIAL_KEY]: {
      status: isDeleted(row) ? 'deleted' : row.status,
      publishedAt: row.publishedAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      isLatest: row.isLatest,
    },
    [DIRECTORY_KEY]: knownOf(row, basis.address),
  })}}`;
}

function isDeleted({ state, status }: ServerRow): boolean {
  return state === 'removed' || status === 'deleted';
}

/** The stored text, which is not parsed: a page has up to a hundred. */
function serverOf(row: ServerRow, namespace: string): string {
  const { isFollowed, version, document } = row;
  const name = nameOf(row, namespace);
  // It may have been removed because it does harm, so nothing of it leads anywhere.
  if (isDeleted(row)) return JSON.stringify({ $schema: SERVER_SCHEMA, name, description: REMOVED, version });
  if (isFollowed) return document;
  return `{"$schema":"${SERVER_SCHEMA}","name":${JSON.stringify(name)},${document.slice(1)}`;
}

const REMOVED = 'This server is no longer listed.';

/** The name of a server for clients. Pure. */
export function nameOf(
  { isFollowed, name }: Pick<ServerRow, 'isFollowed' | 'name'>,
  namespace: string,
): string {
  return isFollowed ? name : `${namespace}/${name}`;
}

/** The figures are those of the tested version only: what an older one does, nobody knows. */
function knownOf(row: ServerRow, address: string) {
  const { entryId, isLatest, statusMessage, publicReason, decision } = row;
  if (isDeleted(row))
    return saying(row.state === 'removed' ? (publicReason ?? statusMessage) : statusMessage);
  const said = saying(statusMessage);
  if (entryId === null) return { ...said, ...checkedPackage(row), report: `${address}${pageOf(row)}` };
  if (!isLatest || decision === null) return { ...said, verdict: 'unchecked' };
  return {
    ...said,
    verdict: row.verdict ?? 'unchecked',
    remote: row.verdict === null ? null : row.endpoint,
    coverage: row.coverage,
    status: row.entryStatus,
    uptime: row.uptime,
    responseTime: row.responseTimeMs,
    figures: row.figuresClaimed === true ? 'claimed' : 'observed',
    decision,
    report: `${address}/servers/${entryId}`,
  };
}

function pageOf({ name, version, isLatest }: ServerRow): string {
  return isLatest ? serverAddress(name) : serverAddress(name, version);
}

/** Of a page of the registry; without a version, of the latest one. Pure. */
export function serverAddress(name: string, version?: string): string {
  const query = version === undefined ? '' : `?${new URLSearchParams({ version })}`;
  return `/registry/${encodeURIComponent(name)}${query}`;
}

function saying(message: string | null) {
  return message === null ? {} : { statusMessage: message };
}

function checkedPackage(row: ServerRow) {
  const { packageVerdict: verdict, packageReason: reason, packageSummary: summary } = row;
  if (verdict === null || verdict === 'unchecked') return { verdict: 'unchecked' };
  return {
    verdict,
    ...(reason === null ? {} : { reason }),
    coverage: row.packageCoverage,
    checkedAt: row.packageCheckedAt?.toISOString() ?? null,
    ...(summary === null ? {} : { summary: JSON.parse(summary) as unknown }),
  };
}
