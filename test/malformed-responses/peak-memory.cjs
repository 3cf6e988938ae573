// Loaded into the command under test: says, at its end, how much memory the process took at most, in kilobytes.
const { isMainThread } = require('node:worker_threads');
const { readFileSync, writeSync } = require('node:fs');

/** On Linux what the system calls maxRSS begins with what the process took that started this one. */
function peakKilobytes() {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

if (isMainThread) process.on('exit', () => writeSync(3, String(peakKilobytes())));
