import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Both packages import each other by name; tests resolve them to the sources, so that no test uses an old build. */
export const packagesFromSource = [
  { find: /^probity$/, replacement: path.join(ROOT, 'src/index.ts') },
  {
    find: /^probity\/(model|service|mcp|html|command-line)$/,
    replacement: path.join(ROOT, 'src/entries/$1.ts'),
  },
  { find: /^probity-directory$/, replacement: path.join(ROOT, 'directory/src/index.ts') },
];
