import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';

/** The program from the sources, in which the build inserts the version. */
export function programFromSource(): Command {
  Object.assign(globalThis, { VERSION: '0.0.0-test' });
  return createProgram();
}
