#!/usr/bin/env node
import { runCommandLine } from '../command-line/run-command-line.ts';
import { createProgram } from './program.ts';

await runCommandLine(createProgram(process.argv), process.argv);
