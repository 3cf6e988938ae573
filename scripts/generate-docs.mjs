// Writes the editor schemas and the language reference from the table that the loader uses. In CI, which has what was
// committed, it only reports what is out of date.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const checking = Boolean(process.env.CI);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const bundle = 'src/generated/docs-input.js';
await build({
  input: 'scripts/docs-input.ts',
  platform: 'node',
  // The program is only described here: what its commands do is not loaded.
  external: [
    /\/cli\/commands\/(?!search\/search-command)|^\.\/commands\/(?!search\/search-command)|through-bridge|report\/formats\//,
  ],
  transform: { define: { VERSION: JSON.stringify(version) } },
  output: { file: bundle, format: 'esm', codeSplitting: false },
  logLevel: 'warn',
});
const { documents } = await import(new URL(`../${bundle}`, import.meta.url).href);
rmSync(bundle);

let stale = 0;
mkdirSync('docs', { recursive: true });
for (const [file, text] of Object.entries(documents)) {
  const current = readOrEmpty(file);
  if (current === text) continue;
  stale += 1;
  if (checking) console.error(`Error: ${file} is out of date: run \`npm run build\` and commit it`);
  else writeFileSync(file, text);
}
process.exitCode = checking && stale > 0 ? 1 : 0;

function readOrEmpty(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
