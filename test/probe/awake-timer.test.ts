import { describe, expect, test } from 'vitest';
import { type AwakeWait, startAwakeTimer } from '../../src/probe/awake-timer.ts';

/** Blocks this thread, like a suspension of the process. */
function holdUp(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

function start(wait: Omit<AwakeWait, 'onOver'>) {
  const seen: boolean[] = [];
  let expire: (waitedFully: boolean) => void = () => undefined;
  const over = new Promise<boolean>((resolve) => {
    expire = resolve;
  });
  const onOver = (waitedFully: boolean): void => {
    seen.push(waitedFully);
    expire(waitedFully);
  };
  return { seen, over, timer: startAwakeTimer({ ...wait, onOver }) };
}

const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the awake timer', () => {
  test('does not expire during a hold-up that is longer than its time', async () => {
    const { seen, over, timer } = start({ awakeMs: 200 });
    holdUp(700);
    await oneTurn();
    expect(seen).toEqual([]);
    expect(timer.heldUp().totalMs).toBeGreaterThan(500);
    expect(await over).toBe(true);
  });

  test('reports a hold-up before its next step', () => {
    const { timer } = start({ awakeMs: 10_000 });
    holdUp(300);
    expect(timer.heldUp().totalMs).toBeGreaterThan(200);
    timer.stop();
  });

  test('expires at maxMs, and reports that the wait was incomplete', async () => {
    const { over } = start({ awakeMs: 10_000, maxMs: 100 });
    holdUp(300);
    expect(await over).toBe(false);
  });

  test('expires once', async () => {
    const { seen, over } = start({ awakeMs: 1 });
    await over;
    await start({ awakeMs: 100 }).over;
    expect(seen).toEqual([true]);
  });

  test('reports the longest and the total hold-up', async () => {
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

  test('does not expire after it was stopped', async () => {
    const { seen, timer } = start({ awakeMs: 1 });
    timer.stop();
    const other = start({ awakeMs: 100 });
    await other.over;
    expect(seen).toEqual([]);
  });
});
