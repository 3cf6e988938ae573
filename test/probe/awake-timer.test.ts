import { describe, expect, test } from 'vitest';
import { type AwakeWait, startAwakeTimer } from '../../src/probe/awake-timer.ts';

/** Keeps this thread from everything else, as a suspension of the process would. */
function holdUp(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

function start(wait: Omit<AwakeWait, 'onOver'>) {
  const seen: boolean[] = [];
  let told: (waitedFully: boolean) => void = () => undefined;
  const over = new Promise<boolean>((resolve) => {
    told = resolve;
  });
  const onOver = (waitedFully: boolean): void => {
    seen.push(waitedFully);
    told(waitedFully);
  };
  return { seen, over, timer: startAwakeTimer({ ...wait, onOver }) };
}

const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a timer that counts the time in which this process runs', () => {
  test('is not over after a hold-up longer than itself', async () => {
    const { seen, over, timer } = start({ awakeMs: 200 });
    holdUp(700);
    await oneTurn();
    expect(seen).toEqual([]);
    expect(timer.heldUp().totalMs).toBeGreaterThan(500);
    expect(await over).toBe(true);
  });

  test('knows of a hold-up before its next step', () => {
    const { timer } = start({ awakeMs: 10_000 });
    holdUp(300);
    expect(timer.heldUp().totalMs).toBeGreaterThan(200);
    timer.stop();
  });

  test('ends where it must, and says that the wait was cut', async () => {
    const { over } = start({ awakeMs: 10_000, maxMs: 100 });
    holdUp(300);
    expect(await over).toBe(false);
  });

  test('is over once', async () => {
    const { seen, over } = start({ awakeMs: 1 });
    await over;
    await start({ awakeMs: 100 }).over;
    expect(seen).toEqual([true]);
  });

  test('tells one long hold-up from many short ones', async () => {
    const { over, timer } = start({ awakeMs: 300 });
    for (let count = 0; count < 4; count += 1) {
      holdUp(200);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await over;
    const { totalMs, longestMs } = timer.heldUp();
    expect(longestMs).toBeGreaterThan(100);
    expect(totalMs).toBeGreaterThan(3 * 100);
  });

  test('is over no more once it was stopped', async () => {
    const { seen, timer } = start({ awakeMs: 1 });
    timer.stop();
    const other = start({ awakeMs: 100 });
    await other.over;
    expect(seen).toEqual([]);
  });
});
