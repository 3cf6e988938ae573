import { type Exchange, jsonBody, ownProperty } from 'probity/model';

const OPERATIONAL: readonly unknown[] = ['ok', 'healthy'];

/** Whether what came of GET /health says that the target works (specification, section 2.4); null where it cannot tell. */
export function stateOf(health: Exchange): boolean | null {
  if (health.kind === 'answered')
    return (
      health.response.status === 200 && OPERATIONAL.includes(ownProperty(jsonBody(health).value, 'status'))
    );
  return isOwnTrouble(health) ? null : false;
}

/** Our own resolver or routing fails with these, so that they say nothing of a target by themselves. */
const PERHAPS_OURS: ReadonlySet<string> = new Set(['name-lookup-failed', 'network-unreachable']);

function isOwnTrouble({ reason }: Extract<Exchange, { kind: 'unanswered' }>): boolean {
  return reason.fault === 'harness' || PERHAPS_OURS.has(reason.code);
}

/** No connection came about, for a reason that an outage of our own network would give as well. */
export function mayBeOurNetwork(exchange: Exchange): boolean {
  return (
    exchange.kind === 'unanswered' &&
    exchange.reason.fault === 'network' &&
    // Somebody refused it: the way there works.
    exchange.reason.code !== 'connection-refused'
  );
}
