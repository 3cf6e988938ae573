import type { Fault } from '../../src/model/exchange.ts';
import { ENDPOINTS, type Endpoint, type Find } from './behaviour.ts';

type Finds = Readonly<Record<Endpoint, readonly Find[]>>;

/** Nothing is found, and the verdict is a pass. */
export const CLEAN: Finds = { health: [], capabilities: [], execute: [] };

export function everyEndpoint(finds: readonly Find[]): Finds {
  return { health: finds, capabilities: finds, execute: finds };
}

export function failing(says: Find['says'], ...rows: readonly string[]): readonly Find[] {
  return rows.map((row) => ({ row, outcome: 'failed', fault: 'server', says }));
}

export function undecided(says: Find['says'], ...rows: readonly string[]): readonly Find[] {
  return rows.map((row) => ({ row, outcome: 'inconclusive', fault: 'harness', says }));
}

/** The same rows of each endpoint, said of by their last part: `json-object`. */
function everywhere(make: (rows: readonly string[]) => readonly Find[], rows: Rows): Finds {
  return Object.fromEntries(
    ENDPOINTS.map((endpoint) => [endpoint, make(rows[endpoint])]),
  ) as unknown as Finds;
}

type Rows = Readonly<Record<Endpoint, readonly string[]>>;

/** Calls of which another answer than that to a listed function is expected are judged for themselves. */
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

/** No answer at all; the code of the failure stands in what was received. */
export function unanswered(code: string | RegExp, fault: Fault = 'server'): Finds {
  return everywhere(
    (rows) => (fault === 'harness' ? undecided(code, ...rows) : failing(code, ...rows)),
    REACHABLE,
  );
}

/** Another status than those expected; of a call that should be refused, too. */
export function otherStatus(status: number): Finds {
  return everywhere((rows) => failing(new RegExp(`\\b${status}\\b`), ...rows), STATUS);
}

const STATUS: Rows = {
  health: ['health/status-200'],
  capabilities: ['capabilities/status-200'],
  execute: ['execute/status-200', ...REFUSALS],
};

/** A status that says that the request was refused for want of a key. */
export function turnedAway(status: number): Finds {
  return everywhere((rows) => undecided(`status ${status}`, ...rows), STATUS);
}

const JSON_OBJECT: Rows = {
  health: ['health/json-object'],
  capabilities: ['capabilities/json-object'],
  execute: ['execute/json-object'],
};

/** A body that breaks a rule, and can be read all the same. */
export function flawed(says: Find['says']): Finds {
  return everywhere((rows) => failing(says, ...rows), JSON_OBJECT);
}

/** What of an error body is looked at for itself. */
const ERROR_BODY = ['errors/error-body', 'errors/error-request-id', 'errors/unknown-function-code'] as const;

/** A body in which nothing that the contract wants can be found. */
export function unreadable(says: Find['says']): Finds {
  const finds = flawed(says);
  const told = typeof says === 'string' ? says.replaceAll(/[^\w ]/g, '.') : says.source;
  return {
    ...finds,
    execute: [
      ...finds.execute,
      ...failing(
        new RegExp(`${told}|is not as it must be|is not an object|is missing|has no requestId`),
        ...ERROR_BODY,
      ).map(maybeOfId),
    ],
  };
}

/** A body that only the harness does not take. */
export function unjudged(says: Find['says']): Finds {
  const finds = everywhere((rows) => undecided(says, ...rows), JSON_OBJECT);
  const errors = undecided(says, ...ERROR_BODY).map(maybeOfId);
  return { ...finds, execute: [...finds.execute, ...errors] };
}

/** In a body that is no object it is not looked for: errors/error-body has said so. */
function maybeOfId(find: Find): Find {
  return find.row === 'errors/error-request-id' ? maybe(find) : find;
}

/** The same finds, or nothing. */
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

/** Answers that together are more than a run keeps: which of them find no room is a matter of time. */
export const SPENT: readonly Find[] = [
  ...undecided('run-bytes-spent', '*'),
  ...undecided('too few calls made at the same time', 'execute/concurrent-isolation'),
].map(maybe);

/** The same finds, unless on /execute the answers are together more than a run keeps. */
export function orSpent(finds: Finds): Finds {
  return { ...finds, execute: [...finds.execute.map(maybe), ...SPENT] };
}
