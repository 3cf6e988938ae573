import type { LoadHooks } from './load-plan.ts';

/** Notices when the target does not answer. */
export interface StallWatch {
  answered(nowMs: number): void;
  /** Whether the load must end with the call that ends now, because there was a stall. */
  isOver(): boolean;
  close(): void;
}

const CHECKS_PER_STALL = 10;

/** @param isWaiting whether an answer or a connection is awaited */
export function watchStalls(
  { afterMs, onStall }: NonNullable<LoadHooks['stall']>,
  isWaiting: () => boolean,
): StallWatch {
  let sinceMs = performance.now();
  let stalled = false;
  const checking = setInterval(() => {
    const nowMs = performance.now();
    if (!isWaiting()) sinceMs = nowMs;
    if (stalled || nowMs - sinceMs < afterMs) return;
    stalled = true;
    onStall();
  }, afterMs / CHECKS_PER_STALL);
  return {
    answered: (nowMs) => {
      sinceMs = nowMs;
    },
    isOver: () => stalled,
    close: () => clearInterval(checking),
  };
}
