import { type Command, Option } from 'commander';
import { calls, rate, rateRange, seconds, share, wholeNumber } from '../../command-line/option-values.ts';
import { CHECK_SETTINGS } from '../../model/check-options.ts';
import { COMMAND_SETTINGS } from '../../suite/config/command-settings.ts';
import { addOptions } from './add-options.ts';
import { accessOptions, storeOptions } from './command-options.ts';

export function benchOptions(command: Command): Command {
  const { form, requestTimeoutMs, seed } = CHECK_SETTINGS;
  const { config, wait, baseline } = COMMAND_SETTINGS;
  const reach = accessOptions(addOptions(storeOptions(command), wait, form, config));
  return addOptions(
    reach,
    requestTimeoutMs,
    { ...seed, doc: 'repeat the order of an earlier run' },
    { ...baseline, doc: 'compare with a saved result' },
  )
    .optionsGroup('Load:')
    .option(
      '--operation <call>',
      'health, capabilities or execute:NAME; repeat it for a mix, with optional =WEIGHT (default: health)',
      calls,
    )
    .option(
      '--rate <number>',
      'open loop: requests a second, independent of the answers (default: 100)',
      rate,
    )
    .addOption(
      new Option('--arrivals <how>', 'open loop: evenly spaced, or random like independent callers')
        .choices(['constant', 'poisson'])
        .default('constant'),
    )
    .option(
      '--max-connections <number>',
      'open loop: maximum number of connections; requests wait while all are busy',
      wholeNumber(1, 10_000),
      50,
    )
    .option(
      '--connections <number>',
      'closed loop instead: number of connections, each sending its next request after its answer',
      wholeNumber(1, 10_000),
    )
    .option('--requests <number>', 'number of requests to measure', wholeNumber(1, 1_000_000_000))
    .option(
      '--warm-up <seconds>',
      'maximum warm-up time; it ends when the figures are stable; 0 for none',
      (text: string) => (text === '0' ? 0 : seconds(text)),
      5,
    )
    .option('--ramp <low..high>', 'search for the highest rate within the limits', rateRange)
    .option(
      '--max-p99 <seconds>',
      'with --ramp: limit for p99 (default: 10 times that at the lowest rate)',
      seconds,
    )
    .option('--max-errors <share>', 'with --ramp: limit for errors, such as 1%', share, 0.01)
    .option('--runs <number>', 'with --against: runs of each', wholeNumber(6, 1000), 6)
    .addOption(
      new Option('--transport <name>', 'HTTP client for the load')
        .choices(['lean', 'undici'])
        .default('lean'),
    )
    .option('--yes-load', 'confirm that the operator of a target on another machine agreed to the load')
    .optionsGroup('Limits:')
    .option(
      '--duration <seconds>',
      'how long to measure (default: 10; 2 for a run; for a step of a ramp 3, or until it has a p99)',
      seconds,
    )
    .optionsGroup('Target:')
    .option('--against <url>', 'compare with another server, in short alternate runs')
    .optionsGroup('Output:')
    .option('--json', 'print the test result on standard output and nothing else');
}
