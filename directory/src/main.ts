#!/usr/bin/env node
import { runDirectory } from './index.ts';

await runDirectory(process.argv.slice(2), 'probity-directory');
