#!/usr/bin/env node
import { createProgram } from './program.ts';
import { runCommandLine } from './run-command-line.ts';

await runCommandLine(createProgram(), process.argv);
