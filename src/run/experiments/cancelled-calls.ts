import { exploredKey } from '../../model/exchange-key.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import { aliveMessage } from '../calls/make-request.ts';
import { defineExperiment } from './define-experiment.ts';

/**
 * Calls tools, cancels each call at once, and asks whether the server is alive, all in one piece: a server that answers
 * the last message has read the cancellation.
 */
export const cancelledCalls = defineExperiment(
  'cancelled-calls',
  'the call, its cancellation, and a question whether the server answers, written to a process in one piece',
  async ({ turn, instances, runner, state }) => {
    const { opened } = state().learned;
    const cancelled = instances.flatMap(({ request, ...instance }, index): readonly PlannedInstance[] => {
      if (request === null || !('sends' in request) || request.sends.kind !== 'message') return [];
      const id = `probity-cancelled-${index + 1}`;
      const before = [
        { ...request.sends.message, id },
        { method: 'notifications/cancelled', params: { requestId: id, reason: 'nobody waits for it' } },
      ];
      return [
        {
          ...instance,
          key: exploredKey(instance.key, 'cancelled'),
          // Nobody waits for what it returns.
          call: null,
          request: { ...request, sends: { kind: 'message', message: aliveMessage(opened), before } },
        },
      ];
    });
    if (cancelled.length > 0) return runner.run(turn, cancelled);
    return { kind: 'inapplicable', reason: 'no tool could be called' };
  },
  (step) => step,
);
