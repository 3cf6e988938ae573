import { ownProperty } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

export const uptimeNeverBack = defineCheck(
  'repetitions',
  'uptime-never-back',
  'uptime never goes back while the run lasts',
  ({ answers }) => {
    const reads = answers
      .map(({ exchange, value }) => ({ exchange, uptime: ownProperty(value, 'uptime') }))
      .filter((read): read is typeof read & { uptime: number } => Number.isFinite(read.uptime))
      .sort((left, right) => left.exchange.timing.startedAtMs - right.exchange.timing.startedAtMs);
    for (const [index, later] of reads.entries()) {
      const earlier = reads[index - 1];
      if (earlier === undefined || later.uptime >= earlier.uptime) continue;
      return failed({
        message: 'uptime went back: the server seems to have restarted during the run',
        expected: `${earlier.uptime} or more`,
        received: `${later.uptime}`,
        pointer: '/uptime',
        exchangeKey: later.exchange.request.key,
      });
    }
    return passed;
  },
);
