import { describe, expect, test } from 'vitest';
import { type CheckLock, TimingLock } from '../../src/check/threads/timing-lock.ts';
import type { LockMode } from '../../src/run/state/run-input.ts';

interface Watched {
  readonly lock: TimingLock;
  /** Reports how many cores the process uses, several times. */
  readonly use: (cores: number, times?: number) => Promise<void>;
  readonly isWatching: () => boolean;
}

function watched(nowMs = () => 0): Watched {
  let onUsed: ((cores: number) => void) | null = null;
  const lock = new TimingLock((listener) => {
    onUsed = listener;
    return () => {
      onUsed = null;
    };
  }, nowMs);
  return {
    lock,
    use: async (cores, times = 1) => {
      for (let time = 0; time < times; time += 1) {
        onUsed?.(cores);
        await settled();
      }
    },
    isWatching: () => onUsed !== null,
  };
}

/** Lets all promises settle that can. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

class Check {
  readonly name: string;
  readonly lock: CheckLock;
  readonly #log: string[];
  state: LockMode | 'waits' | 'released' | 'left' = 'released';

  constructor(lock: TimingLock, log: string[], name: string, host: string | null = null) {
    this.lock = lock.join({ host, callsPerSecond: 50 });
    this.name = name;
    this.#log = log;
  }

  async acquire(mode: LockMode): Promise<void> {
    this.state = 'waits';
    await this.lock.acquire(mode);
    this.state = mode;
    this.#log.push(`${this.name} ${mode}`);
  }

  async begin(): Promise<void> {
    this.state = 'waits';
    await this.lock.begin();
    this.state = 'shared';
  }

  release(): void {
    this.state = 'released';
    this.lock.release();
  }

  leave(): void {
    this.state = 'left';
    this.lock.leave();
  }
}

function statesOf(checks: readonly (Check | undefined)[]): readonly unknown[] {
  return checks.map((check) => check?.state);
}

describe('the lock of the checks in one process', () => {
  test('is granted at once to a check that is alone', async () => {
    const { lock, isWatching } = watched();
    const log: string[] = [];
    const one = new Check(lock, log, 'one');
    for (const mode of ['shared', 'exclusive', 'shared'] as const) await one.acquire(mode);
    one.lock.leave();
    expect(log).toEqual(['one shared', 'one exclusive', 'one shared']);
    expect(isWatching()).toBe(false);
  });

  test('is granted to one check alone, while the others wait', async () => {
    const { lock, use } = watched();
    const log: string[] = [];
    const checks = ['a', 'b', 'c'].map((name) => new Check(lock, log, name));
    for (const check of checks) void check.acquire('shared');
    await settled();
    expect(statesOf(checks)).toEqual(['shared', 'shared', 'shared']);
    for (const check of checks) void check.acquire('exclusive');
    for (let end = 0; end < 3; end += 1) {
      await use(0);
      const timed = checks.filter(({ state }) => state === 'exclusive');
      expect(timed).toHaveLength(1);
      timed[0]?.release();
      void timed[0]?.acquire('shared');
      await settled();
    }
    // All of them go on after the last one was timed.
    const timed = ['a exclusive', 'b exclusive', 'c exclusive'];
    expect(log.slice(3)).toEqual([...timed, 'a shared', 'b shared', 'c shared']);
  });

  test('is granted for timing when the process is quiet, however long another check computes', async () => {
    const { lock, use } = watched();
    const [busy, timed] = ['busy', 'timed'].map((name) => new Check(lock, [], name));
    await busy?.begin();
    void timed?.acquire('exclusive');
    await use(1, 1000);
    expect(timed?.state).toBe('waits');
    busy?.leave();
    await use(0);
    expect(timed?.state).toBe('exclusive');
  });

  test('is granted for timing after two seconds if the process is busy, and no other check is at work', async () => {
    const { lock, use } = watched();
    const [busy, first, second] = ['busy', 'first', 'second'].map((name) => new Check(lock, [], name));
    await busy?.acquire('shared');
    void first?.acquire('exclusive');
    await use(1.5, 3);
    expect(first?.state).toBe('waits');
    // The target of the check that is still at work hangs.
    await use(0.01);
    expect(first?.state).toBe('exclusive');
    void second?.acquire('exclusive');
    first?.lock.leave();
    busy?.release();
    await use(1.5, 39);
    expect(second?.state).toBe('waits');
    await use(1.5);
    expect(second?.state).toBe('exclusive');
  });

  test('is held alone for two seconds, after which others are timed', async () => {
    let nowMs = 0;
    const { lock, use } = watched(() => nowMs);
    const log: string[] = [];
    const [timed, other] = ['timed', 'other'].map((name) => new Check(lock, log, name));
    await timed?.begin();
    void timed?.acquire('exclusive');
    await use(0);
    void other?.acquire('exclusive');
    nowMs = 1999;
    await timed?.acquire('exclusive');
    expect(log).toEqual(['timed exclusive', 'timed exclusive']);
    nowMs = 2000;
    void timed?.acquire('exclusive');
    await use(0);
    expect(log.slice(2)).toEqual(['other exclusive']);
    other?.release();
    await use(0);
    expect(log.slice(3)).toEqual(['timed exclusive']);
  });

  test('lets nobody work before a check that waited longer to be timed', async () => {
    const { lock, use } = watched();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Check(lock, [], name));
    await a?.acquire('shared');
    void b?.acquire('exclusive');
    void c?.acquire('shared');
    await use(1);
    expect(statesOf([b, c])).toEqual(['waits', 'waits']);
    await use(0);
    expect(statesOf([b, c])).toEqual(['exclusive', 'waits']);
    b?.release();
    await settled();
    expect(c?.state).toBe('shared');
  });

  test('a check that leaves while it waits waits no longer, and holds nothing', async () => {
    const { lock, use, isWatching } = watched();
    const [timed, leaving, last] = ['timed', 'leaving', 'last'].map((name) => new Check(lock, [], name));
    for (const check of [timed, leaving, last]) void check?.acquire('exclusive');
    await use(0);
    expect(timed?.state).toBe('exclusive');
    leaving?.lock.leave();
    await settled();
    expect(leaving?.state).not.toBe('waits');
    timed?.lock.leave();
    await settled();
    expect(last?.state).toBe('exclusive');
    last?.lock.leave();
    expect(isWatching()).toBe(false);
  });

  test('targets on other hosts are timed at once, within the calls that the client can send', async () => {
    const { lock, use } = watched();
    const hosts = ['a', 'b', 'b', 'c', 'd', 'e', 'f', 'g'];
    const checks = [
      ...hosts.map((host, index) => new Check(lock, [], `${host}${index}`, host)),
      new Check(lock, [], 'local'),
    ];
    for (const check of checks) void check.acquire('exclusive');
    await use(0);
    const timed = (): readonly string[] =>
      checks.filter(({ state }) => state === 'exclusive').map(({ name }) => name);
    expect(timed()).toEqual(['a0', 'b1', 'c3', 'd4', 'e5', 'f6']);
    checks[1]?.release();
    await settled();
    expect(timed()).toEqual(['a0', 'b2', 'c3', 'd4', 'e5', 'f6']);
    for (const check of checks) if (check.state === 'exclusive') check.release();
    await use(0);
    expect(timed()).toEqual(['g7']);
    checks[7]?.release();
    await use(0);
    expect(timed()).toEqual(['local']);
  });

  test('no target on another host joins those that are timed while a check waits to work', async () => {
    const { lock, use } = watched();
    const [timed, going, late] = ['a', 'b', 'c'].map((host) => new Check(lock, [], host, host));
    void timed?.acquire('exclusive');
    await use(0);
    void going?.acquire('shared');
    void late?.acquire('exclusive');
    await settled();
    expect(statesOf([timed, going, late])).toEqual(['exclusive', 'waits', 'waits']);
    timed?.release();
    await use(0);
    expect(statesOf([going, late])).toEqual(['shared', 'exclusive']);
  });

  test('few of many checks begin at once, and more of them while they only wait for their targets', async () => {
    const { lock, use } = watched();
    const checks = Array.from({ length: 1000 }, (_, index) => new Check(lock, [], `${index}`));
    for (const check of checks) void check.begin();
    const begun = (): number => checks.filter(({ state }) => state === 'shared').length;
    await settled();
    const first = begun();
    await use(2, 10);
    expect(begun()).toBe(first);
    checks[0]?.leave();
    await settled();
    expect(begun()).toBe(first);
    await use(0.01, 2);
    expect({ begun: begun(), first }).toEqual({ begun: 3 * first, first: expect.toSatisfy(isSmall) });
  });

  test('no check begins while another one waits to be timed', async () => {
    const { lock, use } = watched();
    const [timed, next, working] = ['timed', 'next', 'working'].map((name) => new Check(lock, [], name));
    await timed?.begin();
    await working?.begin();
    void timed?.acquire('exclusive');
    void next?.begin();
    await use(1, 3);
    expect(statesOf([timed, next])).toEqual(['waits', 'waits']);
    await use(0);
    expect(statesOf([timed, next])).toEqual(['exclusive', 'waits']);
    timed?.leave();
    await settled();
    expect(next?.state).toBe('shared');
  });

  test('a check that was timed goes on, although others wait to be timed without end', async () => {
    const { lock, use } = watched();
    const log: string[] = [];
    const checks = Array.from({ length: 4 }, (_, index) => new Check(lock, log, `${index}`));
    for (const check of checks) void check.acquire('exclusive');
    for (let round = 0; round < 20; round += 1) {
      await use(0);
      const timed = checks.find(({ state }) => state === 'exclusive');
      timed?.release();
      void timed?.acquire(
        log.filter((line) => line.startsWith(timed.name)).length % 2 === 0 ? 'exclusive' : 'shared',
      );
    }
    expect(log.indexOf('0 shared')).toBeLessThan(6);
  });
});

function isSmall(begun: number): boolean {
  return begun >= 2 && begun < 500;
}
