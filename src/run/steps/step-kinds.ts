// What kind of step it is, by what its suite says.
import type { RunSettings } from '../../model/report.ts';
import { type RequestTemplate, TOKEN_SETTINGS, type TokenSetting } from '../../model/request-template.ts';
import type { Step } from '../../model/suite.ts';

/** Whether a request goes to /execute, as a call or with a body from the suite, so that the form of /execute counts. */
export function asksExecute(request: RequestTemplate | null | undefined): boolean {
  if (request?.kind === 'post') return request.path === '/execute';
  return request?.kind === 'execute';
}

export function isExploring({ experiment }: Pick<Step, 'experiment'>): boolean {
  return experiment?.name === 'generated-inputs' || experiment?.name === 'sequences';
}

export function isTimed({ experiment }: Pick<Step, 'experiment'>): boolean {
  return experiment?.name === 'timed-calls';
}

/** Whether its requests may do harm: they come after the others, one at a time. */
export function isProvoking({ phase }: Pick<Step, 'phase'>): boolean {
  return phase === 'negative' || phase === 'finally';
}

export function isNegative({ phase }: Pick<Step, 'phase'>): boolean {
  return phase === 'negative';
}

/** Whether the form of /execute counts for a step, even if the step writes its bodies itself. */
export function needsExecuteForm({ request, when }: Step): boolean {
  return request?.kind === 'execute' || (when.form !== null && asksExecute(request));
}

/** Whether a step repeats a call that succeeded, and expects it to succeed again. */
export function isFollowUp({ rounds, request, experiment, expect }: Step): boolean {
  return (
    rounds.forEach?.succeeded != null &&
    request?.kind === 'execute' &&
    (request.arguments.kind === 'sample' || request.arguments.kind === 'omitted') &&
    experiment === null &&
    expect.some(({ kind }) => kind === 'status' || kind === 'outcome')
  );
}

/** The setting of the token that a step needs besides the user's, if it is not given: the step is not planned then. */
export function lackedToken(
  { request }: Step,
  settings: Pick<RunSettings, TokenSetting>,
): TokenSetting | null {
  const token = request?.token ?? null;
  if (token === null || token === 'changed') return null;
  const setting = TOKEN_SETTINGS[token];
  return settings[setting] === undefined ? setting : null;
}
