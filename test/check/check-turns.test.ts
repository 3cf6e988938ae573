import { describe, expect, test } from 'vitest';
import {
  type Beside,
  type CheckTurns,
  createProcessTurns,
  type ProcessTurns,
} from '../../src/check/threads/check-turns.ts';

interface Watched {
  readonly turns: ProcessTurns;
  /** Reports how many cores the process uses, several times. */
  readonly use: (cores: number, times?: number) => Promise<void>;
  readonly isWatching: () => boolean;
}

function watched(cores = 2): Watched {
  let onUsed: ((cores: number) => void) | null = null;
  const turns = createProcessTurns({
    cores,
    watch: (listener) => {
      onUsed = listener;
      return () => {
        onUsed = null;
      };
    },
  });
  return {
    turns,
    use: async (used, times = 1) => {
      for (let time = 0; time < times; time += 1) {
        onUsed?.(used);
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

interface Tried {
  readonly turns: CheckTurns;
  readonly name: string;
  /** What the check does now. */
  state: string;
}

const ALONE: Beside = { kind: 'nobody' };

function joined(process: ProcessTurns, log: string[], name: string, beside = ALONE): Tried {
  const one: Tried = { turns: process.join(beside), name, state: 'rests' };
  const note = (state: string): void => {
    one.state = state;
    log.push(`${name} ${state}`);
  };
  const { turns } = one;
  return Object.assign(one, {
    turns: {
      rest: () => {
        note('rests');
        turns.rest();
      },
      work: () => {
        one.state = 'waits';
        return turns.work().then(() => note('works'));
      },
      time: () => {
        one.state = 'waits';
        return turns.time().then(() => note('times'));
      },
      leave: () => turns.leave(),
    },
  });
}

describe('the turns of checks in one process', () => {
  test('a check that is alone never waits', async () => {
    const { turns, isWatching } = watched();
    const log: string[] = [];
    const one = joined(turns, log, 'one');
    await one.turns.work();
    one.turns.rest();
    await one.turns.time();
    one.turns.rest();
    await one.turns.work();
    one.turns.leave();
    expect(log).toEqual(['one works', 'one rests', 'one times', 'one rests', 'one works']);
    expect(isWatching()).toBe(false);
  });

  test('no check works while another one is timed, and no two are timed at once', async () => {
    const { turns, use } = watched();
    const log: string[] = [];
    const checks = ['a', 'b', 'c'].map((name) => joined(turns, log, name));
    for (const { turns: own } of checks) void own.work();
    await settled();
    for (const { turns: own } of checks) void own.time();
    for (let end = 0; end < 20; end += 1) {
      await use(0);
      const states = checks.map(({ state }) => state);
      const timed = states.filter((state) => state === 'times').length;
      expect(timed).toBeLessThanOrEqual(1);
      if (timed === 1) expect(states).not.toContain('works');
      const now = checks.find(({ state }) => state === 'times');
      if (now === undefined) continue;
      now.turns.rest();
      void now.turns.work();
    }
    expect(log.filter((line) => line.endsWith('times'))).toEqual(['a times', 'b times', 'c times']);
    // All of them went on after the last one was timed.
    expect(log.slice(-3)).toEqual(['a works', 'b works', 'c works']);
  });

  test('a check is timed only when the process has become quiet', async () => {
    const { turns, use } = watched();
    const log: string[] = [];
    const [a, b] = ['a', 'b'].map((name) => joined(turns, log, name));
    await a?.turns.work();
    await b?.turns.work();
    void a?.turns.time();
    await use(0.1);
    expect(a?.state).toBe('waits');
    b?.turns.rest();
    await use(1.5, 3);
    expect(a?.state).toBe('waits');
    await use(0.1);
    expect(a?.state).toBe('times');
  });

  test('a check that works only because its target hangs keeps no other one from being timed', async () => {
    const { turns, use } = watched();
    const log: string[] = [];
    const [hanging, other] = ['hanging', 'other'].map((name) => joined(turns, log, name));
    await hanging?.turns.work();
    await other?.turns.work();
    void other?.turns.time();
    await use(0.01, 20);
    expect(other?.state).toBe('times');
  });

  test('a check that works without end delays another one only for a while', async () => {
    const { turns, use } = watched();
    const log: string[] = [];
    const [busy, other] = ['busy', 'other'].map((name) => joined(turns, log, name));
    await busy?.turns.work();
    await other?.turns.work();
    void other?.turns.time();
    await use(1, 300);
    expect(other?.state).toBe('times');
  });

  test('few of many checks begin at once, and more of them while they only wait for their targets', async () => {
    const { turns, use } = watched(2);
    const log: string[] = [];
    const checks = Array.from({ length: 40 }, (_, index) => joined(turns, log, `${index}`));
    for (const { turns: own } of checks) void own.work();
    const begun = (): number => checks.filter(({ state }) => state === 'works').length;
    await settled();
    const first = begun();
    await use(2, 10);
    await use(0.4, 20);
    expect(begun()).toBe(first);
    await use(0.01, 20);
    expect({ first, begun: begun() }).toEqual({ first: 4, begun: 40 });
  });

  test('no check begins while many wait to be timed', async () => {
    const { turns, use } = watched();
    const checks = Array.from({ length: 100 }, (_, index) => joined(turns, [], `${index}`));
    const begun = new Set<string>();
    for (const { turns: own, name } of checks)
      void own.work().then(() => {
        begun.add(name);
        return own.time();
      });
    let timed = 0;
    let mostWaiting = 0;
    for (let round = 0; round < 2000 && timed < checks.length; round += 1) {
      await use(0.1);
      mostWaiting = Math.max(mostWaiting, begun.size - timed);
      const now = checks.find(({ state }) => state === 'times');
      if (now === undefined) continue;
      timed += 1;
      now.turns.leave();
      now.state = 'left';
    }
    expect(timed).toBe(checks.length);
    expect(mostWaiting).toBeLessThanOrEqual(16);
  });

  test('a check that was timed goes on, although others wait to be timed without end', async () => {
    const { turns, use } = watched();
    const log: string[] = [];
    const checks = Array.from({ length: 30 }, (_, index) => joined(turns, log, `${index}`));
    for (const { turns: own } of checks) void own.work().then(() => own.time());
    for (let round = 0; round < 40; round += 1) {
      await use(0.1);
      for (const { turns: own, state } of checks)
        if (state === 'times') {
          own.rest();
          void own.work();
        }
    }
    const first = log.findIndex((line) => line.endsWith('times'));
    const goesOn = log.indexOf('0 works', first);
    const timedBefore = log.slice(first, goesOn).filter((line) => line.endsWith('times')).length;
    expect(goesOn).toBeGreaterThan(first);
    expect(timedBefore).toBeLessThanOrEqual(4);
  });

  test('a check that leaves while it waits waits no longer, and takes no turn of another one', async () => {
    const { turns, use, isWatching } = watched();
    const log: string[] = [];
    const [timed, leaving, last] = ['timed', 'leaving', 'last'].map((name) => joined(turns, log, name));
    for (const one of [timed, leaving, last]) await one?.turns.work();
    void timed?.turns.time();
    void leaving?.turns.time();
    void last?.turns.time();
    await use(0);
    expect(timed?.state).toBe('times');
    leaving?.turns.leave();
    await settled();
    timed?.turns.leave();
    await use(0, 2);
    expect(last?.state).toBe('times');
    last?.turns.leave();
    expect(isWatching()).toBe(false);
  });

  test('targets on other hosts are timed at once, within the calls that the client can send', async () => {
    const { turns, use } = watched();
    const hosts = ['a', 'b', 'b', 'c', 'd', 'e', 'f', 'g'];
    const beside = (host: string): Beside => ({ kind: 'other-hosts', host, callsPerSecond: 50 });
    const checks = [
      ...hosts.map((host, index) => joined(turns, [], `${host}${index}`, beside(host))),
      joined(turns, [], 'local'),
    ];
    for (const { turns: own } of checks) void own.work();
    await use(0.01, 20);
    for (const { turns: own } of checks) void own.time();
    await use(0);
    const timed = (): readonly string[] =>
      checks.filter(({ state }) => state === 'times').map(({ name }) => name);
    expect(timed()).toEqual(['a0', 'b1', 'c3', 'd4', 'e5', 'f6']);
    checks[1]?.turns.leave();
    await settled();
    expect(timed()).toContain('b2');
    for (const { turns: own, state, name } of checks) if (state === 'times' && name !== 'b1') own.leave();
    await settled();
    expect(timed()).toContain('g7');
    expect(timed()).not.toContain('local');
    for (const { turns: own, name } of checks) if (name === 'g7') own.leave();
    await use(0);
    expect(timed()).toContain('local');
  });

  test('no target on another host joins those that are timed while a check waits to work', async () => {
    const { turns, use } = watched();
    const [timed, going, late] = ['a', 'b', 'c'].map((host) =>
      joined(turns, [], host, { kind: 'other-hosts', host, callsPerSecond: 50 }),
    );
    for (const one of [timed, going, late]) await one?.turns.work();
    going?.turns.rest();
    void timed?.turns.time();
    late?.turns.rest();
    await use(0);
    expect(timed?.state).toBe('times');
    void going?.turns.work();
    void late?.turns.time();
    await settled();
    expect([going?.state, late?.state]).toEqual(['waits', 'waits']);
    timed?.turns.rest();
    await settled();
    expect([going?.state, late?.state]).toEqual(['works', 'waits']);
  });
});
