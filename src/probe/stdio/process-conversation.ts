import { once } from 'node:events';
import type { Json } from '../../json/json.ts';
import type { Heard, HeardEnd, HeardExchange } from '../../model/exchange.ts';
import type { Clock } from '../../model/probe.ts';
import { bytesFrom } from '../../model/sent.ts';
import type { Conversation, ConversationEnd } from '../../model/wire.ts';
import { createOutputTail } from '../../processes/output-tail.ts';
import { type SubjectLaunch, type SubjectProcess, startSubject } from '../../processes/subject-process.ts';
import { startAwakeTimer } from '../awake-timer.ts';
import type { Redactor } from '../redactor.ts';
import { watchClock } from '../system-clock.ts';
import { DEFAULT_BOUNDS, KeptLines, type LineBounds } from './kept-lines.ts';
import { LineSplitter } from './line-splitter.ts';

export interface ProcessSettings extends Pick<SubjectLaunch, 'command' | 'env' | 'cwd'> {
  /** Unique within a run. */
  readonly name: string;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly bounds?: LineBounds | undefined;
  /**
   * Called with each line as it arrives, and with the key of its exchange; null for what nobody waited for. Of a flood,
   * not everything is kept.
   */
  readonly onHeard?: ((heard: Heard, key: string | null, isKept: boolean) => void) | undefined;
}

/** For what a process wrote before it ended, which arrives apart from the news of its end; and the other way round. */
const END_NOTICE_MS = 1000;

export interface ToWrite {
  readonly key: string;
  /** The id that the answer must have; null if none is expected. */
  readonly awaited: Json;
  /** As they are: a message needs its line end. */
  readonly bytes: Uint8Array;
  /** Whether a line is what is waited for; null if nothing is expected: then all that comes in time belongs to it. */
  readonly isAnswer: ((line: Uint8Array) => boolean) | null;
  /** For writing and reading together. Counts the time in which this process runs. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** An exchange that has not ended. */
interface Waiting {
  readonly isAnswer: ToWrite['isAnswer'];
  readonly key: string;
  readonly heard: Heard[];
  readonly end: (end: HeardEnd) => void;
}

/**
 * A process that exchanges lines over its standard streams, and the log of what it did beside: one conversation. Like
 * the probe over HTTP, it moves bytes and does not know what they mean. Everything is bounded in time and size: a
 * process may flood its output, and need not read its input. Its supervisor ends it with the thread or the process that
 * started it.
 */
export class ProcessConversation {
  readonly name: string;
  readonly #settings: ProcessSettings;
  readonly #subject: SubjectProcess;
  readonly #openedAtMs: number;
  readonly #startMs: number;
  readonly #stderr = createOutputTail();
  readonly #waiting = new Set<Waiting>();
  readonly #unasked: Heard[] = [];
  readonly #lines: LineSplitter;
  readonly #kept: KeptLines;
  #ended: ConversationEnd | null = null;
  #isInputClosed = false;

  constructor(settings: ProcessSettings) {
    const { name, clock, redactor, command, env, cwd } = settings;
    this.name = name;
    this.#settings = settings;
    this.#openedAtMs = clock.nowMs();
    this.#startMs = clock.monotonicMs();
    const onStderr = (line: string): void => this.#stderr.add(Buffer.from(`${line}\n`));
    this.#subject = startSubject({ command, env, cwd, redact: redactor.text, onStderr });
    const bounds = settings.bounds ?? DEFAULT_BOUNDS;
    this.#kept = new KeptLines(bounds, redactor, () => this.#nowMs());
    this.#lines = new LineSplitter(bounds.maxLineBytes, (line, omittedBytes) =>
      this.#take(line, omittedBytes),
    );
    const { stdin, stdout, exited } = this.#subject;
    stdout.on('data', (chunk: Buffer) => this.#lines.push(chunk));
    // Without listeners, an error would end this process. The end of the server is reported apart from it.
    for (const stream of [stdin, stdout]) stream.on('error', () => undefined);
    const closed = once(stdout, 'close').catch(() => undefined);
    void exited.then((exit) => this.#endAfter(closed, exit));
    void closed.then(() => this.#endAfter(exited, 'it closed its standard output'));
  }

  get ended(): ConversationEnd | null {
    return this.#ended;
  }

  /** Writes bytes and waits for what comes for them. Never rejects. */
  exchange({ key, awaited, bytes, isAnswer, timeoutMs, signal }: ToWrite): Promise<HeardExchange> {
    const { clock, redactor } = this.#settings;
    const startedAtMs = clock.nowMs();
    const clockSet = watchClock(clock);
    const atMs = this.#nowMs();
    const request = {
      key,
      message: { conversation: this.name, awaited },
      line: bytesFrom(redactor.bytes(Buffer.from(bytes))),
      atMs,
    };
    return new Promise((resolve) => {
      let isRead = false;
      const waiting: Waiting = {
        key,
        isAnswer,
        heard: [],
        end: (end) => {
          if (!this.#waiting.delete(waiting)) return;
          timer.stop();
          signal.removeEventListener('abort', onAbort);
          const timing = {
            startedAtMs,
            connectMs: null,
            firstByteMs: null,
            durationMs: this.#nowMs() - atMs,
            ...clockSet(),
          };
          resolve({ kind: 'heard', request, heard: waiting.heard, end, timing });
        },
      };
      const onAbort = (): void => waiting.end('interrupted');
      const timer = startAwakeTimer({
        awakeMs: timeoutMs,
        onOver: () => waiting.end(isRead ? 'silent' : 'not-read'),
      });
      this.#waiting.add(waiting);
      if (this.#ended !== null) return waiting.end('closed');
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      if (bytes.byteLength === 0) isRead = true;
      else
        this.#subject.stdin.write(bytes, (error) => {
          isRead = error == null;
        });
    });
  }

  /** Closes the standard input, after which a server should end. Reading ends with its end, or with the time-out. */
  endInput(key: string, timeoutMs: number, signal: AbortSignal): Promise<HeardExchange> {
    this.#isInputClosed = true;
    this.#subject.stdin.end();
    return this.exchange({ key, awaited: null, bytes: new Uint8Array(), isAnswer: null, timeoutMs, signal });
  }

  /** Ends the process, if it has not ended, and returns the log. */
  async close(): Promise<Conversation> {
    this.#end('probe', 'the conversation was over');
    await this.#subject.stop();
    return this.log();
  }

  /** What it showed so far outside of exchanges. */
  log(): Conversation {
    return {
      name: this.name,
      openedAtMs: this.#openedAtMs,
      unasked: [...this.#unasked],
      omitted: this.#kept.omitted,
      stderr: this.#stderr.text(),
      ended: this.#ended,
    };
  }

  #nowMs(): number {
    return Math.round((this.#settings.clock.monotonicMs() - this.#startMs) * 1000) / 1000;
  }

  async #endAfter(other: Promise<unknown>, reason: string): Promise<void> {
    const said = await Promise.race([
      other,
      this.#settings.clock.sleep(END_NOTICE_MS, new AbortController().signal),
    ]);
    // The exit says more than the end of its output.
    this.#end('server', typeof said === 'string' ? said : reason);
  }

  #end(by: ConversationEnd['by'], reason: string): void {
    if (this.#ended !== null) return;
    this.#lines.end();
    // A server that ends because its input was closed does what it should.
    this.#ended = {
      by: this.#isInputClosed ? 'probe' : by,
      reason: this.#settings.redactor.text(reason),
      atMs: this.#nowMs(),
    };
    for (const waiting of [...this.#waiting]) waiting.end(by === 'server' ? 'closed' : 'interrupted');
  }

  #take(line: Buffer, omittedBytes: number): void {
    if (this.#ended !== null) return;
    const waiting = [...this.#waiting];
    // A line that was cut cannot be read: it may be the answer to any of them.
    const claimants = waiting.filter(
      ({ isAnswer }) => isAnswer !== null && (omittedBytes > 0 || isAnswer(line)),
    );
    if (claimants.length === 0) {
      const heard = this.#kept.keepOther(line, omittedBytes);
      const expectsNothing = waiting.find(({ isAnswer }) => isAnswer === null);
      if (heard !== null) (expectsNothing?.heard ?? this.#unasked).push(heard);
      this.#settings.onHeard?.(
        heard ?? { bytes: bytesFrom(line), omittedBytes, atMs: this.#nowMs(), repeatedSecrets: [] },
        expectsNothing?.key ?? null,
        heard !== null,
      );
      return;
    }
    const heard = this.#kept.keep(line, omittedBytes);
    for (const { key, heard: all, end } of claimants) {
      all.push(heard);
      this.#settings.onHeard?.(heard, key, true);
      end('answered');
    }
  }
}
