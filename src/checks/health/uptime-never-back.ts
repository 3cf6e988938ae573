import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { uptimeReads } from './uptime-reads.ts';

export const uptimeNeverBack = defineCheck(
  'repetitions',
  'uptime-never-back',
  'uptime never goes back during the run',
  ({ answers }) => {
    const reads = uptimeReads(answers);
    for (const [index, later] of reads.entries()) {
      const earlier = reads[index - 1];
      if (earlier === undefined || later.uptime >= earlier.uptime) continue;
      return failed({
        message: 'uptime went back: the server seems to have restarted during the run',
        expected: `${earlier.uptime} or more`,
        received: `${later.uptime}`,
        pointer: '/uptime',
        exchangeKey: later.key,
      });
    }
    return passed;
  },
);
