import type { Fault } from '../../src/model/exchange.ts';
import { ENDPOINTS, type Endpoint, type Find } from './behaviour.ts';

type Finds = Readonly<Record<Endpoint, readonly Find[]>>;

/** No findings, and the verdict is a pass. */
export const CLEAN: Finds = { health: [], capabilities: [], execute: [] };

export function everyEndpoint(finds: readonly Find[]): Finds {
  return { health: finds, capabilities: finds, execute: finds };
}

export function failing(says: Find['says'], ...rows: readonly string[]): readonly Find[] {
  return rows.map((row) => ({ row, outcome: 'failed', fault: 'server', says }));
}

export function undecided(says: Find['says'], ...rows: readonly string[]): readonly Find[] {
  return rows.map((row) => ({ row, outcome: 'undecided', fault: 'harness', says }));
}

/** The same findings for the rows of each endpoint. */
function everywhere(make: (rows: readonly string[]) => readonly Find[], rows: Rows): Finds {
  return Object.fromEntries(
    ENDPOINTS.map((endpoint) => [endpoint, make(rows[endpoint])]),
  ) as unknown as Finds;
}

type Rows = Readonly<Record<Endpoint, readonly string[]>>;

/** Rows of calls that must be refused: they are judged separately from calls of listed functions. */
const REFUSALS = [
  'errors/unknown-function-rejected',
  'errors/missing-required',
  'errors/wrong-type',
] as const;

const REACHABLE: Rows = {
  health: ['health/reachable'],
  capabilities: ['capabilities/reachable'],
  execute: ['execute/reachable', ...REFUSALS],
};

/** No answer; the received value contains the code of the failure. */
export function unanswered(code: string | RegExp, fault: Fault = 'server'): Finds {
  return everywhere(
    (rows) => (fault === 'harness' ? undecided(code, ...rows) : failing(code, ...rows)),
    REACHABLE,
  );
}

/** An unexpected status, also for calls that must be refused. */
export function otherStatus(status: number): Finds {
  return everywhere((rows) => failing(new RegExp(`\\b${status}\\b`), ...rows), STATUS);
}

const STATUS: Rows = {
  health: ['health/status-200'],
  capabilities: ['capabilities/status-200'],
  execute: ['execute/status-200', ...REFUSALS],
};

/** A status for a missing key. */
export function keyRequired(status: number): Finds {
  return everywhere((rows) => undecided(`status ${status}`, ...rows), STATUS);
}

const JSON_OBJECT: Rows = {
  health: ['health/json-object'],
  capabilities: ['capabilities/json-object'],
  execute: ['execute/json-object'],
};

/** A body that breaks a rule, but can be read. */
export function flawed(says: Find['says']): Finds {
  return everywhere((rows) => failing(says, ...rows), JSON_OBJECT);
}

/** Rows that judge the body of an error. */
const ERROR_BODY = ['errors/error-body', 'errors/error-request-id', 'errors/unknown-function-code'] as const;

/** A body that cannot be read. */
export function unreadable(says: Find['says']): Finds {
  const finds = flawed(says);
  const source = typeof says === 'string' ? says.replaceAll(/[^\w ]/g, '.') : says.source;
  return {
    ...finds,
    execute: [
      ...finds.execute,
      ...failing(
        new RegExp(`${source}|is invalid|is not an object|is missing|has no requestId`),
        ...ERROR_BODY,
      ).map(maybeOfId),
    ],
  };
}

/** A body that is only too much for the harness. */
export function unjudged(says: Find['says']): Finds {
  const finds = everywhere((rows) => undecided(says, ...rows), JSON_OBJECT);
  const errors = undecided(says, ...ERROR_BODY).map(maybeOfId);
  return { ...finds, execute: [...finds.execute, ...errors] };
}

/** errors/error-request-id does not judge a body that is not an object: errors/error-body reports it. */
function maybeOfId(find: Find): Find {
  return find.row === 'errors/error-request-id' ? maybe(find) : find;
}

/** The same findings, or none. */
export function perhaps(finds: Finds): Finds {
  return {
    health: finds.health.map(maybe),
    capabilities: finds.capabilities.map(maybe),
    execute: finds.execute.map(maybe),
  };
}

function maybe(find: Find): Find {
  return { ...find, perhaps: true };
}

/** Answers that together exceed what a run keeps. Which of them are dropped depends on timing. */
export const SPENT: readonly Find[] = [
  ...undecided('run-bytes-spent', '*'),
  ...undecided('too few calls made at the same time', 'execute/concurrent-isolation'),
].map(maybe);

/** The same findings, unless the answers of /execute together exceed what a run keeps. */
export function orSpent(finds: Finds): Finds {
  return { ...finds, execute: [...finds.execute.map(maybe), ...SPENT] };
}
