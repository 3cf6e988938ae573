// Builds the command and the library: bundled, because a command that loads a thousand small files starts slowly.
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'rolldown';

const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
await build({
  input: { probity: 'src/cli/main.ts', index: 'src/index.ts' },
  platform: 'node',
  external: [/^node:/, ...Object.keys(dependencies)],
  transform: { define: { VERSION: JSON.stringify(version) } },
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: true,
    sourcemap: false,
  },
  logLevel: 'warn',
});
