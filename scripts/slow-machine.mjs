import { spawn } from 'node:child_process';
import { constants } from 'node:os';

// Runs a command as on a machine with a sixth of the processor time: stops and continues its process group in turns.
// What the command puts into process groups of its own keeps all its time.
//
//   node scripts/slow-machine.mjs npm test

const RUNNING_MS = 20;
const STOPPED_MS = 100;

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('usage: node scripts/slow-machine.mjs COMMAND [ARGUMENT…]');
  process.exit(2);
}

const child = spawn(command, args, { stdio: 'inherit', detached: true });
child.once('error', (error) => {
  console.error(`${command} cannot be started: ${error.message}`);
  process.exit(127);
});

/** @param {NodeJS.Signals} signal */
function signalGroup(signal) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch (error) {
    // The last of its processes has just ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** @type {NodeJS.Timeout} */
let timer;
function goOn() {
  signalGroup('SIGCONT');
  timer = setTimeout(() => {
    signalGroup('SIGSTOP');
    timer = setTimeout(goOn, STOPPED_MS);
  }, RUNNING_MS);
}
goOn();

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => {
    signalGroup(signal);
    signalGroup('SIGCONT');
  });

child.once('exit', (code, signal) => {
  clearTimeout(timer);
  // Those that it leaves behind must not stay stopped.
  signalGroup('SIGCONT');
  process.exitCode = code ?? 128 + constants.signals[signal ?? 'SIGTERM'];
});
