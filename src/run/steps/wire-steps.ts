// What of the suites is for a server of this wire.
import type { RunSettings } from '../../model/report.ts';
import type { LevelByTarget, RuleWire } from '../../model/requirement.ts';
import type { Assertion, Step } from '../../model/suite.ts';
import { MAIN_CONVERSATION } from '../../model/wire.ts';
import { isLoopback } from '../../text/loopback.ts';

/** A level by address is that of this target. */
function levelAt(level: LevelByTarget, isLocal: boolean): LevelByTarget {
  if (typeof level === 'string' || 'A' in level) return level;
  return isLocal ? level.loopback : level.elsewhere;
}

/** Requests that are written in the bytes of the REST contract. */
const OF_REST: ReadonlySet<string> = new Set(['get', 'post', 'websocket']);

/**
 * The steps as a server of this wire is asked: without the assertions, and without the requests, of the other one. Of
 * the Model Context Protocol, each request belongs to a conversation, which a step opens before.
 */
export function forWire(steps: readonly Step[], mcp: RunSettings['mcp']): readonly Step[] {
  const wire: RuleWire = mcp === undefined ? 'rest' : 'mcp';
  const channel = mcp?.channel ?? null;
  const isLocal = channel !== 'http' || isLoopback(new URL(mcp?.address ?? '').hostname);
  const isOfTarget = ({ when }: Step | Assertion): boolean =>
    (channel === null || when.channel === null || when.channel === channel) &&
    (isLocal || when.address === null);
  const asked = steps.map((step) => ({
    ...step,
    expect: step.expect
      .filter(
        (assertion) => (assertion.wire === undefined || assertion.wire === wire) && isOfTarget(assertion),
      )
      .map((assertion) => ({ ...assertion, level: levelAt(assertion.level, isLocal) })),
  }));
  if (wire === 'rest') return asked;
  const kept = asked.filter(
    (step) => isOfTarget(step) && (step.request === null || !OF_REST.has(step.request.kind)),
  );
  const ids = new Set(kept.map(({ id }) => id));
  const openers = new Map(
    kept.flatMap(({ id, request }) =>
      request?.kind === 'open' ? [[request.conversation, id] as const] : [],
    ),
  );
  return kept
    .filter((step) => step.use.kind !== 'step' || ids.has(step.use.id))
    .map((step) => {
      const opener = openerOf(step, openers);
      const needs = step.needs.filter((id) => ids.has(id));
      return { ...step, needs: opener === undefined || opener === step.id ? needs : [opener, ...needs] };
    });
}

function openerOf({ request }: Step, openers: ReadonlyMap<string, string>): string | undefined {
  if (request === null || request.kind === 'open') return undefined;
  return openers.get('conversation' in request ? request.conversation : MAIN_CONVERSATION);
}
