import os from 'node:os';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const LOWER = os.constants.priority.PRIORITY_BELOW_NORMAL;
const KEY = 'probity: checks are less urgent';

/** Threads of checks that start from now on have a lower priority than the rest of the process, on Linux. */
export function makeChecksLessUrgent(): void {
  setEnvironmentData(KEY, true);
}

/** Called by a thread of checks when it starts. Other systems have one priority for all threads of a process. */
export function takePriority(): void {
  // A process may not raise its priority.
  if (os.platform() === 'linux' && getEnvironmentData(KEY) === true && os.getPriority() < LOWER)
    os.setPriority(LOWER);
}
