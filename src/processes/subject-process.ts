import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createOutputTail, lastLines } from './output-tail.ts';
import { type Launch, startStreaming } from './started-server.ts';

/** A server needs no more than this from the environment, unless a variable is named. */
const PASSED_ON = [
  'HOME LANG LOGNAME PATH SHELL TERM TMPDIR TZ USER',
  'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES',
  'SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR',
].flatMap((names) => names.split(' '));

/** Time to end by itself after its standard input was closed, as the protocol asks. */
const CLOSED_INPUT_MS = 1000;
const GRACE_MS = 2000;
/** For the last lines of a server that ended, which arrive apart from the news of its end. */
const LAST_LINES_MS = 3000;

export interface SubjectLaunch {
  readonly command: Launch['command'];
  /** Its environment, beside what every program needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: Launch['cwd'];
  /** Called with each line of standard error, without secrets. */
  readonly onStderr: (line: string) => void;
  readonly redact: (text: string) => string;
}

/** A started process that exchanges messages over its standard input and output. */
export interface SubjectProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when it ends without being stopped, with how, such as `exit code 1`. */
  readonly exited: Promise<string>;
  /** The same with its last lines of standard error. */
  readonly ended: Promise<string>;
  /** Closes its standard input, ends all of its processes and waits for them. */
  stop(): Promise<void>;
}

/** Starts a server that exchanges messages over its standard input and output. */
export function startSubject({ command, env, cwd, onStderr, redact }: SubjectLaunch): SubjectProcess {
  const { stdin, stdout, stderr, ended, stop } = startStreaming(
    { command, env: { ...usualEnvironment(), ...env }, cwd },
    GRACE_MS,
  );
  const tail = createOutputTail();
  stderr.on('data', tail.add);
  createInterface({ input: stderr }).on('line', (line) => onStderr(redact(line)));
  const stderrClosed = once(stderr, 'close').catch(() => undefined);
  let isOver = false;
  const over = ended.then((exit) => {
    isOver = true;
    return exit;
  });
  return {
    stdin,
    stdout,
    exited: over,
    // Redacted before lines are cut, which would hide a part of a secret.
    ended: over.then(async (exit) => {
      // A process that escaped may keep it open.
      await Promise.race([stderrClosed, delay(LAST_LINES_MS, null, { ref: false })]);
      return [exit, ...lastLines(redact(tail.text()))].join('\n');
    }),
    stop: async () => {
      stdin.end();
      if (!isOver) await Promise.race([over, delay(CLOSED_INPUT_MS, null, { ref: false })]);
      await stop();
      // A process that escaped may still hold their other ends.
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}

function usualEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
