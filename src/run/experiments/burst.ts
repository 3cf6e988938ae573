import type { Exchange } from '../../model/exchange.ts';
import { requestFor } from '../requests/instance-request.ts';
import { isTooOften } from '../requests/repeat-request.ts';
import type { InstanceRun } from '../state/record.ts';
import { defineExperiment } from './define-experiment.ts';

/** Sends as many concurrent requests as allowed, until one is answered with 429, or not at all. */
export const burst = defineExperiment(
  'burst',
  'the request as fast as possible until an answer has status 429, up to `{ burst: 600 }` times; inapplicable without --try-rate-limit',
  async (lab) => {
    const { settings, planning } = lab.input;
    const { step } = lab.turn;
    const most = planning === true ? 1 : Number(step.experiment?.calls);
    const runs: InstanceRun[] = [];
    for (const instance of lab.instances) {
      const exchanges: Exchange[] = [];
      while (exchanges.length < most) {
        const wave = Array.from(
          { length: Math.min(settings.concurrency, most - exchanges.length) },
          (_, index) =>
            lab.runner.scheduler.press(requestFor(lab.turn, instance, exchanges.length + index, lab.input)),
        );
        exchanges.push(...(await Promise.all(wave)));
        if (exchanges.some((exchange) => exchange.kind === 'unanswered' || isTooOften(exchange))) break;
      }
      runs.push({ ...instance, exchanges, timed: null });
    }
    return runs;
  },
  (step) => step,
);
