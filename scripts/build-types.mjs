// Bundles the declarations that `tsc -p tsconfig.types.json` wrote: one file for each entry of the package, and one with
// what several entries share.
import { readFileSync } from 'node:fs';
import { build } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const TYPES = 'node_modules/.cache/probity/types';
const { compilerOptions, files } = JSON.parse(readFileSync('tsconfig.types.json', 'utf8'));
const declarationOf = (file) => file.replace(/^src/, TYPES).replace(/\.ts$/, '.d.ts');
if (compilerOptions.outDir !== TYPES) throw new Error(`tsconfig.types.json must write to ${TYPES}`);

await build({
  input: Object.fromEntries(
    files.map((file) => [/(?<name>[^/]+)\.ts$/.exec(file).groups.name, declarationOf(file)]),
  ),
  plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, resolver: 'oxc' })],
  external: /^[@a-z]/,
  checks: { pluginTimings: false },
  output: {
    dir: 'dist',
    chunkFileNames: '[name].d.ts',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  },
});
