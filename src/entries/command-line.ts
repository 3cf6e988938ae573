export { listenError, UsageError } from '../command-line/exit-codes.ts';
export { collected, day, seconds, wholeNumber } from '../command-line/option-values.ts';
export { readAuthorities } from '../command-line/read-authorities.ts';
export { runCommandLine } from '../command-line/run-command-line.ts';
export { say } from '../command-line/terminal.ts';
export { processStatus, startedAt } from '../processes/process-status.ts';
