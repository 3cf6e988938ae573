import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

export const claimedTimeKept = defineCheck(
  'measurements',
  'claimed-time-kept',
  'the median of the timed calls is not worse than the response time that the directory shows',
  ({ claimedResponseTimeMs: claimedMs, measured, median }) => {
    if (claimedMs === null) return inapplicable('the configuration has no listing.responseTime');
    const expected = `a median of at most ${claimedMs} ms, as the directory shows`;
    const doubts = [...new Set(measured.flatMap(({ measurement }) => measurement.unreliable))];
    if (doubts.length > 0)
      return undecided({
        message: `the response times cannot be relied on: ${doubts.join('; ')}`,
        expected,
        received: 'figures of an overloaded client',
        advice: 'Run the check again on a less busy machine.',
      });
    if (median === null)
      return undecided({
        message: 'too few timed calls were answered for a median',
        expected,
        received: `${measured.reduce((sum, { measurement }) => sum + measurement.samples, 0)} samples`,
      });
    if (median.valueMs <= claimedMs) return passed;
    const [lowMs, highMs] = median.intervalMs;
    const evidence = {
      message: 'calls take longer than the directory shows',
      expected,
      received: `${median.valueMs.toFixed(1)} ms (95 % interval ${lowMs.toFixed(1)} to ${highMs.toFixed(1)} ms)`,
    };
    return lowMs <= claimedMs
      ? undecided({ ...evidence, message: `${evidence.message}, but not beyond doubt` })
      : failed(evidence);
  },
);
