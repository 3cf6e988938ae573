import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { expect, test } from 'vitest';
import { createCheckPool } from '../../src/check/threads/check-server.ts';
import { makeChecksLessUrgent } from '../../src/check/threads/priority.ts';
import { createReference } from '../../src/reference/contract.ts';
import { serve } from '../conforming/serve.ts';
import { PATIENT } from '../patience.ts';

/** Each thread of this process, with its priority. */
function priorities(): ReadonlyMap<number, number> {
  const threads = readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // After the name, which may contain spaces: the state is the third field, the priority the 19th.
    return [Number(id), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])] as const;
  });
  return new Map(threads);
}

test.runIf(process.platform === 'linux')(
  'less urgent checks run with a lower priority than the rest',
  async () => {
    const before = priorities();
    const during = new Map<number, number>();
    const { answer } = createReference({ form: 'A' });
    const target = await serve((...asked) => {
      for (const [id, priority] of priorities()) during.set(id, priority);
      return answer(...asked);
    });
    makeChecksLessUrgent();
    const pool = createCheckPool();
    try {
      const options = { ...PATIENT, only: ['health/reachable'], latency: { off: true } } as const;
      expect((await pool.check(target.url, options)).verdict).toBe('pass');
    } finally {
      await pool.close();
      await target.close();
    }
    const lower = Math.max(os.getPriority(), os.constants.priority.PRIORITY_BELOW_NORMAL);
    const ofChecks = [...during].filter(([id]) => !before.has(id)).map(([, priority]) => priority);
    expect(ofChecks).toContain(lower);
    for (const [id, priority] of before) if (during.has(id)) expect(during.get(id)).toBe(priority);
  },
);
