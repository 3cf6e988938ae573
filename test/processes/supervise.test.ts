import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { startServer } from '../../src/processes/started-server.ts';
import { startSupervisor } from '../../src/processes/supervise.ts';
import { endWhatIsLeft, isRunning, notedIds, runningIds, serverToStart } from '../cli/started.ts';

const hasProcesses = existsSync('/proc/self/environ');
const unchanged = (text: string): string => text;
const CHANNEL = 'child_process';

let started: ChildProcess[] = [];
/** Called with each process before it is started. */
let onStart: (child: ChildProcess) => void = () => undefined;

function note(message: unknown): void {
  const child = (message as { readonly process: ChildProcess }).process;
  started.push(child);
  onStart(child);
}

afterEach(() => {
  unsubscribe(CHANNEL, note);
  endWhatIsLeft();
});

function watchStarts(whatElse: typeof onStart = () => undefined): void {
  started = [];
  onStart = whatElse;
  subscribe(CHANNEL, note);
}

describe('the supervisor of a command', () => {
  it.runIf(hasProcesses)(
    'ends a group whose first process has ended, and whose others carry no mark',
    async () => {
      const { cwd, command } = await serverToStart();
      watchStarts();
      const server = startServer(`cd "${cwd}" && MODE=background ${command}`, unchanged, 50);
      const [supervisor, first] = started;
      await once(first as ChildProcess, 'exit');
      expect(runningIds(cwd)).toEqual(notedIds(cwd).slice(1));
      // Read at once: this process ends them too, as soon as it knows that the supervisor has ended.
      const left = new Promise((resolve) => supervisor?.once('exit', () => resolve(runningIds(cwd))));
      // As if this process ended.
      supervisor?.stdin?.destroy();
      expect(await left).toEqual([]);
      await server.stop();
    },
  );

  it.runIf(hasProcesses)('kills the group if Node.js cannot start', async () => {
    watchStarts();
    const { execPath } = process;
    // What Node.js does when the system allows no further process: it fails.
    process.execPath = 'false';
    const server = startServer('exec sleep 60', unchanged, 50);
    process.execPath = execPath;
    const [supervisor, first] = started;
    const ended = once(first as ChildProcess, 'exit');
    supervisor?.stdin?.destroy();
    // This process sends SIGTERM first, as soon as it knows that the supervisor has ended.
    expect(await ended).toEqual([null, 'SIGKILL']);
    await server.stop();
  });

  it.runIf(hasProcesses)('signals nothing if the command is over before it is known', async () => {
    const mark = 'mark of a command that is over';
    const other = spawn('sleep', ['60'], { env: { ...process.env, MARK: mark }, stdio: 'ignore' });
    await startSupervisor(mark, 50).release();
    expect(isRunning(other.pid ?? 0)).toBe(true);
    other.kill('SIGKILL');
  });

  it('is missed if the system refuses to start it', async () => {
    expect(await startSupervisor('\0', 50).lost).toMatch(
      /its supervisor process could not be started: .*null bytes/,
    );
    watchStarts((child) => {
      if (started.length > 1) return;
      // What Node.js does without file descriptors: the process has no streams.
      Object.assign(child, { spawn: () => -24 });
      process.nextTick(() => child.emit('error', new Error('spawn EMFILE')));
    });
    const server = startServer('exec sleep 60', unchanged, 50);
    expect((await server.ended).exit).toBe('its supervisor process could not be started: spawn EMFILE');
    await server.stop();
    expect(started[1]?.signalCode).toBe('SIGTERM');
  });
});
