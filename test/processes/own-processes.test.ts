import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { watchProcesses } from '../../src/processes/end-processes.ts';
import { startedAt } from '../../src/processes/process-status.ts';
import { until } from '../eventually.ts';
import { unless } from '../set-up/skips.ts';

const missing = existsSync('/proc/self/environ') ? null : 'no /proc, which Linux has';
const NO_MARK = 'no process carries this mark';
const groups: number[] = [];

afterEach(() => {
  for (const group of groups.splice(0)) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
});

/** The first process of a new group. */
function inOwnGroup(command: string): ChildProcess & { readonly pid: number } {
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('/bin/sh cannot be started');
  groups.push(child.pid);
  return Object.assign(child, { pid: child.pid });
}

describe('the processes of a started command', unless(missing), () => {
  it('are those of its group while the first one runs', () => {
    const { pid } = inOwnGroup('exec sleep 60');
    const watch = watchProcesses({ groupId: pid, mark: NO_MARK, since: startedAt(pid) });
    expect(watch.look()).toEqual({ ids: [pid], hasGroup: true });
  });

  it('are not those of a foreign group that reuses its id', () => {
    const { pid } = inOwnGroup('exec sleep 60');
    const watch = watchProcesses({ groupId: pid, mark: NO_MARK, since: '1' });
    expect(watch.look()).toEqual({ ids: [], hasGroup: false });
  });

  it('are known by their group if it was seen before, even if the first one has ended', async () => {
    const first = inOwnGroup('sleep 60 & sleep 60 &');
    const started = { groupId: first.pid, mark: NO_MARK, since: startedAt(first.pid) };
    const watch = watchProcesses(started);
    await once(first, 'exit');
    await until(() => startedAt(first.pid) === null);
    expect(watch.look(true).ids).toHaveLength(2);
    expect(watch.look().ids).toHaveLength(2);
    // A watch that has not seen them before does not know their owner, and ignores them.
    expect(watchProcesses(started).look()).toEqual({ ids: [], hasGroup: false });
  });
});
