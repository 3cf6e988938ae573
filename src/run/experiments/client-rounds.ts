import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { exploredKey } from '../../model/exchange-key.ts';
import { callIn } from '../../model/sent.ts';
import { BARE_CONVERSATION } from '../../model/wire.ts';
import { answeredParams, askedClient } from '../../wires/mcp/client-answers.ts';
import { resultOf } from '../../wires/mcp/lists.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { MessageRequest } from '../calls/make-request.ts';
import type { InstanceRun } from '../state/record.ts';
import { defineExperiment } from './define-experiment.ts';
import type { Laboratory } from './laboratory.ts';

/** A few tools show how the server asks. */
const MAX_TOOLS = 2;
const NO_CAPABILITIES = { 'io.modelcontextprotocol/clientCapabilities': {} };
const UNKNOWN = 'probity_unknown';

/**
 * Calls tools again that asked the client: without its capabilities, and since revision 2026-07-28 with answers that are
 * missing, that nobody asked for, that are malformed, or that come with a changed state. Only tools that read: what a
 * tool does when nobody can be asked is not known.
 */
export const clientRounds = defineExperiment(
  'client-rounds',
  'functions that only read and asked the client, without its capabilities, and with wrong answers to what they ask',
  async (lab) => {
    const asking = namesOf(lab.runner.scheduler.exchanges());
    const chosen = lab.instances
      .filter(({ functionName }) => asking.has(functionName ?? ''))
      .slice(0, MAX_TOOLS);
    if (chosen.length === 0)
      return { kind: 'inapplicable', reason: 'no tool that only reads asked the client for anything' };
    const made: InstanceRun[] = [];
    for (const instance of chosen) made.push(...(await roundsOf(lab, instance)));
    return made;
  },
  ({ rounds, ...step }) => ({
    ...step,
    rounds: { ...rounds, forEach: rounds.forEach && { ...rounds.forEach, functions: 'reads' } },
  }),
);

/** The tools that asked the client for something when they were called. */
function namesOf(exchanges: readonly Exchange[]): ReadonlySet<string> {
  return new Set(
    exchanges
      .filter((one) => askedClient(one) || isQuestion(one))
      .flatMap(({ request }) => callIn(request)?.functionName ?? []),
  );
}

function isQuestion(exchange: Exchange): boolean {
  return isAnswer(exchange) && ownProperty(resultOf(exchange), 'resultType') === 'input_required';
}

async function roundsOf(
  { turn, runner, input, state }: Laboratory,
  instance: PlannedInstance,
): Promise<readonly InstanceRun[]> {
  const { request } = instance;
  const message =
    request !== null && 'sends' in request && request.sends.kind === 'message' ? request.sends.message : null;
  if (message === null) return [];
  const send = async (caseId: string, changed: Partial<MessageRequest>): Promise<readonly InstanceRun[]> =>
    runner.run(turn, [
      {
        ...instance,
        key: exploredKey(instance.key, caseId),
        caseId,
        request: { ...(request as MessageRequest), ...changed },
      },
    ]);
  const sendParams = (caseId: string, params: Json): Promise<readonly InstanceRun[]> =>
    send(caseId, { sends: { kind: 'message', message: { ...message, params }, keepsQuestions: true } });
  if (state().learned.opened?.era !== 'stateless')
    return send('without', { conversation: BARE_CONVERSATION });
  const params = isJsonObject(message.params) ? message.params : {};
  const runs = [...(await sendParams('without', { ...params, _meta: NO_CAPABILITIES }))];
  // A state may be good for one answer alone (patterns, preventing replay), so that each case has a question of its own.
  for (const caseId of ANSWER_CASES) {
    const asked = await sendParams(caseId === ANSWER_CASES[0] ? 'asked' : `asked-${caseId}`, params);
    runs.push(...asked);
    const [question] = asked.flatMap(({ exchanges }) => exchanges);
    if (question === undefined || !isQuestion(question) || !isAnswer(question)) return runs;
    const answered = answeredParams(message, resultOf(question) ?? null, input.settings.answers ?? {});
    const changed = answersByCase(params, resultOf(question), answered)[caseId];
    if (changed !== undefined) runs.push(...(await sendParams(caseId, changed)));
  }
  return runs;
}

const ANSWER_CASES = ['answered', 'extra', 'missing', 'malformed', 'tampered'] as const;

/** The parameters of the next round by case: as they should be, and each wrong in one way. */
function answersByCase(
  params: JsonObject,
  question: Json | undefined,
  answered: JsonObject | null,
): Readonly<Partial<Record<(typeof ANSWER_CASES)[number], JsonObject>>> {
  const requests = ownProperty(question, 'inputRequests');
  const names = isJsonObject(requests) ? Object.keys(requests) : [];
  const requestState = ownProperty(question, 'requestState');
  const again = { ...params, ...(requestState === undefined ? {} : { requestState }) };
  const given = ownProperty(answered, 'inputResponses');
  const extra = { ...(isJsonObject(given) ? given : {}), [UNKNOWN]: { action: 'decline' } };
  const malformed = Object.fromEntries(names.map((name) => [name, 'probity']));
  return {
    ...(answered === null ? {} : { answered, extra: { ...answered, inputResponses: extra } }),
    ...(names.length === 0
      ? {}
      : {
          missing: { ...again, inputResponses: {} },
          malformed: { ...again, inputResponses: malformed },
        }),
    ...(answered === null || typeof requestState !== 'string'
      ? {}
      : { tampered: { ...answered, requestState: changedState(requestState) } }),
  };
}

/**
 * Another text of the same length and alphabet: it differs in the middle, where a signature does not ignore it. The other
 * character has another value also where case does not count (hexadecimal), and where the last bits do not (the last
 * character of a part in base64).
 */
export function changedState(state: string): string {
  const middle = Math.floor(state.length / 2);
  const other = /[A-FQ-Za-f]/.test(state[middle] ?? '') ? '4' : 'b';
  return `${state.slice(0, middle)}${other}${state.slice(middle + 1)}`;
}
