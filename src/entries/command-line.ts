export { collected, day, seconds, wholeNumber } from '../cli/options/option-values.ts';
export { readAuthorities } from '../cli/options/settings.ts';
export { listenError } from '../cli/process/listen-error.ts';
export { runCommandLine } from '../cli/run-command-line.ts';
export { UsageError } from '../cli/terminal/exit-codes.ts';
export { say } from '../cli/terminal/terminal.ts';
export { processStatus, startedAt } from '../run/process-status.ts';
