import { ExpectedError } from 'probity/model';
import { msIn } from '../settings/durations.ts';
import { DECISIONS, type OperatorDecision } from './operator-decisions.ts';

/** Also of the public one. */
export const MAX_REASON_CHARACTERS = 2000;
const MAX_PAUSE_DAYS = 366;
const DAY_MS = 86_400_000;

/** A decision as somebody gives it: on the command line, over HTTP or on a page. */
export interface GivenDecision {
  readonly action: string;
  readonly reason: string;
  readonly publicReason?: string | undefined;
  readonly until?: string | undefined;
}

/** What is wrong with a given decision, and what to give instead. */
export class DecisionError extends ExpectedError {
  override readonly name = 'DecisionError';
}

/**
 * Reads a decision, the same wherever it was given.
 *
 * @throws DecisionError
 */
export function readDecision(given: GivenDecision): Omit<OperatorDecision, 'operator'> {
  const { publicReason, until } = given;
  const action = DECISIONS.find((name) => name === given.action);
  if (action === undefined) throw new DecisionError(`Choose a decision: ${DECISIONS.join(', ')}.`);
  requireReason('The reason', given.reason);
  if (publicReason !== undefined) requireReason('The public reason', publicReason);
  if (until !== undefined && action !== 'pause')
    throw new DecisionError('Only a pause ends at a time: leave it out, or choose pause.');
  return {
    action,
    reason: given.reason.trim(),
    ...(publicReason === undefined ? {} : { publicReason: publicReason.trim() }),
    ...(until === undefined ? {} : { until: endOfPause(until) }),
  };
}

function requireReason(what: string, reason: string): void {
  if (reason.trim() === '')
    throw new DecisionError(`${what} is empty. Give one, so that others understand the decision.`);
  const characters = [...reason].length;
  if (characters > MAX_REASON_CHARACTERS)
    throw new DecisionError(
      `${what} has ${characters} characters. Give one of at most ${MAX_REASON_CHARACTERS}, with a link to the rest.`,
    );
  if (reason.includes('\0'))
    throw new DecisionError(`${what} contains the character U+0000, which cannot be stored. Leave it out.`);
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const FORMS =
  'Give a time in the future with its zone, such as 2027-12-01T08:00:00Z, or a duration such as 30s, 15m, 1h or 1d.';

/** A time in the future, given as such or as the time from now. */
function endOfPause(text: string): Date {
  const nowMs = Date.now();
  const aheadMs = msIn(text);
  const untilMs = aheadMs === null ? Date.parse(TIME.test(text) ? text : '') : nowMs + aheadMs;
  if (Number.isNaN(untilMs)) throw new DecisionError(`The end of the pause is no time. ${FORMS}`);
  if (untilMs <= nowMs) throw new DecisionError(`The end of the pause is not in the future. ${FORMS}`);
  if (untilMs > nowMs + MAX_PAUSE_DAYS * DAY_MS)
    throw new DecisionError(
      `The end of the pause must be at most ${MAX_PAUSE_DAYS} days ahead. Give an earlier one, or none: the pause then lasts until somebody ends it.`,
    );
  return new Date(untilMs);
}
