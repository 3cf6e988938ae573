import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartedProcesses } from './guardian-messages.ts';

const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 100;
/** A process that was killed is gone at once, unless the system holds it or it is not ours to kill. */
const MOST_KILLS = 50;

/** Asks all processes of a command to end, and ends those that have not done so when the grace is over. */
export async function endProcesses(started: StartedProcesses, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endTree(started.groupId);
  signalAll(started, 'SIGTERM');
  const endsAtMs = performance.now() + graceMs;
  let lookMs = FIRST_LOOK_MS;
  while (runningOf(started).length > 0 && performance.now() < endsAtMs) {
    await delay(Math.min(lookMs, Math.max(0, endsAtMs - performance.now())));
    lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 2);
  }
  for (let kills = 0; kills < MOST_KILLS && runningOf(started).length > 0; kills += 1) {
    signalAll(started, 'SIGKILL');
    await delay(FIRST_LOOK_MS);
  }
}

/** Ids of its processes that still run; the negative id of the group where the system does not list processes. */
export function runningOf({ groupId, mark }: StartedProcesses): readonly number[] {
  if (process.platform === 'win32') return [];
  if (!existsSync('/proc/self/environ')) return isThere(-groupId) ? [-groupId] : [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => id !== process.pid && isOneOf(id, groupId, mark));
}

function isOneOf(id: number, groupId: number, mark: string): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The name in parentheses may hold anything, parentheses and spaces included.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // One that ended and that nobody has asked about runs no more.
    if (state === 'Z' || state === 'X') return false;
    return Number(group) === groupId || readFileSync(`/proc/${id}/environ`).includes(mark);
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return false;
  }
}

function signalAll(started: StartedProcesses, signal: NodeJS.Signals): void {
  const running = runningOf(started);
  if (running.length === 0) return;
  // The group at once, so that none of its processes starts another in between.
  send(-started.groupId, signal);
  for (const id of running) send(id, signal);
}

function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}

function isThere(id: number): boolean {
  return send(id, 0);
}

async function endTree(processId: number): Promise<void> {
  const ending = spawn('taskkill', ['/pid', String(processId), '/T', '/F'], { stdio: 'ignore' });
  await once(ending, 'exit').catch(() => undefined);
}
