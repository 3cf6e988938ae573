import { ownProperty } from '../../json/json.ts';
import { exploredKey } from '../../model/exchange-key.ts';
import { mirroredHeaders, mirroredParameters } from '../../wires/mcp/http-headers.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import { defineExperiment } from './define-experiment.ts';

/** Of all tools together. */
const MAX_CALLS = 16;

/**
 * Calls tools whose parameters headers repeat, with a header that contradicts the argument, one for each of them, and
 * without the first one.
 */
export const contradictingHeaders = defineExperiment(
  'contradicting-headers',
  'the call, with another value in each header that repeats a parameter, and without the first of these headers',
  async ({ turn, instances, runner }) => {
    const contradicting = instances.flatMap(({ request, ...instance }): readonly PlannedInstance[] => {
      const parameters = mirroredParameters(ownProperty(instance.item, 'parameters'));
      const headers = mirroredHeaders(parameters, instance.call?.input ?? {});
      if (request === null || !('sends' in request)) return [];
      const changed = (caseId: string, name: string, value: string | null): PlannedInstance => ({
        ...instance,
        key: exploredKey(instance.key, caseId),
        caseId,
        request: { ...request, headers: [...request.headers, [name, value]] },
      });
      return headers.flatMap(([name], index) => [
        changed(`other-value-${index + 1}`, name, 'probity-other-value'),
        ...(index === 0 ? [changed('no-header', name, null)] : []),
      ]);
    });
    if (contradicting.length > 0) return runner.run(turn, contradicting.slice(0, MAX_CALLS));
    return { kind: 'inapplicable', reason: 'no call gave a parameter that a header repeats' };
  },
  (step) => step,
);
