import { UsageError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { type RecordSpan, type Span, spanRecorder } from '../../model/span.ts';
import { preciseNowMs, processStartMs } from '../../probe/system-clock.ts';
import { chromeTrace } from '../../report/chrome-trace.ts';
import { renderProfile } from '../../report/terminal/profile-terminal.ts';
import { writeTextFile } from './write-file.ts';

/** What a check did and waited for, from the start of the process. */
export class Profile {
  readonly #spans: Span[] = [];
  readonly recordSpan: RecordSpan;

  constructor() {
    this.recordSpan = spanRecorder(this.add, preciseNowMs);
    this.add({
      kind: 'phase',
      name: 'starting the command',
      startedAtMs: processStartMs,
      durationMs: preciseNowMs() - processStartMs,
    });
  }

  readonly add = (span: Span): void => {
    this.#spans.push(span);
  };

  /** Writes all spans to the file, and prints where the time went. */
  async write(file: string): Promise<void> {
    const { user, system } = process.cpuUsage();
    const startedAtMs = processStartMs;
    const time = { startedAtMs, endedAtMs: preciseNowMs(), cpuMs: (user + system) / 1000 };
    say(renderProfile({ ...time, spans: this.#spans }));
    const trace = chromeTrace(this.#spans, startedAtMs);
    try {
      const written = await writeTextFile(file, trace, 'Choose another file with --profile.');
      say(`written: ${visible(written)}`);
    } catch (error) {
      // The verdict is known, and the exit code stays its own.
      if (!(error instanceof UsageError)) throw error;
      say(`warning: ${error.message}`);
    }
  }
}
