import type { Clock } from '../model/probe.ts';

/** How the checks of a process agree: calls are timed while no other check works. */
export interface Turns {
  /** The check only waits now, so that others may work or be timed. */
  rest(): void;
  /** Waits until the check may work: send requests, and judge. */
  work(): Promise<void>;
  /** Waits until the calls of the check may be timed. */
  time(): Promise<void>;
}

/** What a run does among the checks of its process. It works at its start. */
export interface RunTurns {
  /** It only waits from now on. */
  rest(): void;
  /** Waits until it may work, if it does not. */
  work(): Promise<void>;
  /** Waits until its calls may be timed, if they may not; others are let in between now and then. */
  time(): Promise<void>;
  /** Ends the turn, if it has one. */
  giveWay(): void;
}

/** A check with many functions lets others be timed after this time. */
const MAX_TURN_MS = 2000;

/** @param onWaited called with the time that a run waited for others, which is not the fault of its target */
export function createRunTurns(
  turns: Turns | undefined,
  clock: Clock,
  onWaited: (waitedMs: number) => void,
): RunTurns {
  let state: 'works' | 'rests' | 'times' = 'works';
  let turnSinceMs = 0;
  let asked: Promise<void> | null = null;

  const rest = (): void => {
    if (state === 'rests') return;
    state = 'rests';
    turns?.rest();
  };
  const waitFor = async (ask: (() => Promise<void>) | undefined): Promise<void> => {
    const askedMs = clock.monotonicMs();
    await ask?.();
    onWaited(clock.monotonicMs() - askedMs);
  };

  return {
    rest,
    work: async () => {
      if (state === 'works') return;
      // Two repeated reads may wait for it.
      asked ??= waitFor(turns?.work).finally(() => {
        state = 'works';
        asked = null;
      });
      await asked;
    },
    time: async () => {
      if (state === 'times' && clock.monotonicMs() - turnSinceMs < MAX_TURN_MS) return;
      rest();
      await waitFor(turns?.time);
      state = 'times';
      turnSinceMs = clock.monotonicMs();
    },
    giveWay: () => {
      if (state === 'times') rest();
    },
  };
}
