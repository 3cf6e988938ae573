import { ownProperty } from '../model/json.ts';
import { failed, inconclusive, passed } from '../model/judgement.ts';
import { defineCheck, type JsonAnswer } from './define-check.ts';

export const noRestart = defineCheck(
  'repetitions',
  'no-restart',
  'uptime shows that the server did not start again since the answers under `use: { earlier: … }`',
  ({ answers, used }) => {
    const before = uptimeReads(used.earlier ?? []);
    const after = uptimeReads(answers);
    const [highest] = [...before].sort((left, right) => right.uptime - left.uptime);
    // A server without uptime fails elsewhere, and this says nothing of it.
    if (highest === undefined || after.length === 0) return passed;
    // Behind a load balancer each instance has its own uptime; that one of them goes on is enough.
    if (after.some(({ uptime }) => uptime >= highest.uptime)) return passed;
    const last = after.at(-1) as UptimeRead;
    const evidence = {
      expected: `${highest.uptime} or more, which is what it was before`,
      received: `${last.uptime}`,
      pointer: '/uptime',
      exchangeKey: last.key,
    };
    if (before.some(({ uptime }, index) => uptime < (before[index - 1]?.uptime ?? uptime)))
      return inconclusive({ message: 'uptime goes back by itself: it cannot show a restart', ...evidence });
    return failed({ message: 'uptime went back: the server was restarted in between', ...evidence });
  },
);

interface UptimeRead {
  readonly uptime: number;
  readonly key: string;
}

/** Of /health, in the order in which they were sent. */
function uptimeReads(answers: readonly JsonAnswer[]): readonly UptimeRead[] {
  return answers
    .filter(
      ({ exchange, call }) => call === null && new URL(exchange.request.url).pathname.endsWith('/health'),
    )
    .sort((left, right) => left.exchange.timing.startedAtMs - right.exchange.timing.startedAtMs)
    .flatMap(({ exchange, value }): readonly UptimeRead[] => {
      const uptime = ownProperty(value, 'uptime');
      return typeof uptime === 'number' && Number.isFinite(uptime)
        ? [{ uptime, key: exchange.request.key }]
        : [];
    });
}
