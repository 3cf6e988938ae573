#!/usr/bin/env node
import { createProgram } from './program.ts';
import { runProgram } from './run-program.ts';

// Whoever reads the output may stop early, as `head` does; that is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

await runProgram(createProgram(), process.argv);
