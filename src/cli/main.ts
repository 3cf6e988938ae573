#!/usr/bin/env node
import { createProgram } from './program.ts';
import { endBecauseOf, endUnlessUnread, runProgram } from './run-program.ts';

for (const stream of [process.stdout, process.stderr]) stream.on('error', endUnlessUnread);
process.on('uncaughtException', endBecauseOf);

await runProgram(createProgram(), process.argv);
