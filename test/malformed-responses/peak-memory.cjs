// Loaded into the command under test: reports the peak memory of the process, in kilobytes, when it ends.
const { isMainThread } = require('node:worker_threads');
const { readFileSync, writeSync } = require('node:fs');

/** On Linux, maxRSS includes the memory of the process that started this one. */
function peakKilobytes() {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

if (isMainThread) process.on('exit', () => writeSync(3, String(peakKilobytes())));
