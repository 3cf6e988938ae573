import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/** Builds a TypeScript file that uses sources, because the code that fills a store is not part of the product. */
export async function built(input) {
  // Beside the thread of the embedded database.
  const file = path.resolve(`directory/dist/bench-${path.basename(input, '.ts')}.mjs`);
  await build({
    input,
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    logLevel: 'warn',
    transform: { define: { BUILT: 'true' } },
    output: { file, format: 'esm', codeSplitting: false },
  });
  return file;
}

export async function importSources(input) {
  return import(pathToFileURL(await built(input)).href);
}
