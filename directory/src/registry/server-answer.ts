import type { ServerRow } from './read-servers.ts';

/** The schema of all documents that the registry API sends. */
export const SERVER_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const OFFICIAL_KEY = 'io.modelcontextprotocol.registry/official';
/** The members of `_meta` that this directory adds, by the name of the project. */
const DIRECTORY_KEY = 'io.github.probity-mcp/directory';

/** What the names and links of an answer depend on. */
export interface AnswerBasis {
  readonly namespace: string;
  /** The address of the directory, without a trailing slash. */
  readonly address: string;
}

/** The answer about one version of a server, as JSON. Pure. */
export function answerOf(row: ServerRow, basis: AnswerBasis): string {
  return `{"server":${serverOf(row, basis.namespace)},"_meta":${JSON.stringify({
    [OFFICIAL_KEY]: {
      status: row.state === 'removed' ? 'deleted' : row.status,
      ...(row.statusMessage === null ? {} : { statusMessage: row.statusMessage }),
      publishedAt: row.publishedAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      isLatest: row.isLatest,
    },
    [DIRECTORY_KEY]: knownOf(row, basis.address),
  })}}`;
}

/** The stored text, which is not parsed: a page has up to a hundred. */
function serverOf({ isFollowed, name, document }: ServerRow, namespace: string): string {
  if (isFollowed) return document;
  return `{"$schema":"${SERVER_SCHEMA}","name":${JSON.stringify(`${namespace}/${name}`)},${document.slice(1)}`;
}

function knownOf(row: ServerRow, address: string) {
  const { entryId, isLatest, verdict, coverage, decision } = row;
  // A package, or a server whose entry was removed.
  if (entryId === null || decision === null) return { verdict: 'unchecked' };
  return {
    verdict: isLatest ? (verdict ?? 'unchecked') : 'unchecked',
    coverage: isLatest ? coverage : null,
    status: row.entryStatus,
    uptime: row.uptime,
    responseTime: row.responseTimeMs,
    figures: row.figuresClaimed === true ? 'claimed' : 'observed',
    decision,
    report: `${address}/servers/${entryId}`,
  };
}

/** The namespace of the names of entries: what the operator chose, or the host of the directory backwards. Pure. */
export function namespaceOf(settings: {
  readonly namespace: string | null;
  readonly publicUrl: string | null;
}): string {
  if (settings.namespace !== null) return settings.namespace;
  const host = settings.publicUrl === null ? '' : new URL(settings.publicUrl).hostname;
  const isName = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(host);
  return isName ? host.split('.').toReversed().join('.') : UNNAMED;
}

/** A directory on a machine without a name of its own. */
const UNNAMED = 'local.directory';
