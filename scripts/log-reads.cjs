// Loaded before a command by scripts/loads.mjs: appends the name of each file that it reads as data.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { appendFileSync, readFileSync } = fs;
const log = process.env.READS_LOG;

fs.readFileSync = (file, ...rest) => {
  if (typeof file === 'string') appendFileSync(log, `${file}\n`);
  return readFileSync(file, ...rest);
};
syncBuiltinESMExports();
