import { ownProperty } from '../../json/json.ts';
import { exploredKey } from '../../model/exchange-key.ts';
import { mirroredHeaders, mirroredParameters } from '../../wires/mcp/mirrored-parameters.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import { defineExperiment } from './define-experiment.ts';

const CASES: readonly (readonly [string, string | null])[] = [
  ['other-value', 'probity-other-value'],
  ['no-header', null],
];

/** Calls a tool whose parameters headers repeat, with a header that contradicts the argument, and without the header. */
export const contradictingHeaders = defineExperiment(
  'contradicting-headers',
  'the call, with another value in a header that repeats a parameter, and without that header',
  async ({ turn, instances, runner }) => {
    const contradicting = instances.flatMap(({ request, ...instance }): readonly PlannedInstance[] => {
      const parameters = mirroredParameters(ownProperty(instance.item, 'parameters'));
      const [header] = mirroredHeaders(parameters, instance.call?.input ?? {});
      if (header === undefined || request === null || !('sends' in request)) return [];
      return CASES.map(([caseId, value]) => ({
        ...instance,
        key: exploredKey(instance.key, caseId),
        caseId,
        request: { ...request, headers: [...request.headers, [header[0], value]] },
      }));
    });
    if (contradicting.length > 0) return runner.run(turn, contradicting.slice(0, CASES.length));
    return { kind: 'inapplicable', reason: 'no tool has a parameter that a header repeats' };
  },
  (step) => step,
);
