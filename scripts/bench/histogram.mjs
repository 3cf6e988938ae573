// Compares the product's histogram code with the whole of hdr-histogram-js. The product encodes and decodes itself,
// because the library inflates hostile texts without a limit and adds a second deflate.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { median, note } from './sheet.mjs';

const CODES = {
  'of the product': [
    "export * from './src/latency/histogram.ts'; export * from './src/latency/encoded-histogram.ts';",
    ({ createHistogram, recordLatency, encodeHistogram, decodeHistogram }) => ({
      create: createHistogram,
      record: recordLatency,
      encode: encodeHistogram,
      decode: decodeHistogram,
    }),
  ],
  'of the whole library': [
    "export { build, encodeIntoCompressedBase64, decodeFromCompressedBase64 } from 'hdr-histogram-js';",
    (library) => ({
      create: () => library.build({ bitBucketSize: 64 }),
      record: (histogram, us) => histogram.recordValue(Math.round(us)),
      encode: (histogram) => library.encodeIntoCompressedBase64(histogram),
      decode: (text) => library.decodeFromCompressedBase64(text, 64),
    }),
  ],
};
const SAMPLES = 100_000;
const REPEATS = 20;

export async function histogram(rounds = 15) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  const codes = {};
  const bytes = {};
  for (const [name, [source, functionsOf]] of Object.entries(CODES)) {
    const file = path.join(folder, `${Object.keys(codes).length}.mjs`);
    bytes[name] = await bundled(source, file);
    codes[name] = functionsOf(await import(pathToFileURL(file).href));
  }
  rmSync(folder, { recursive: true });

  const latenciesUs = Float64Array.from({ length: SAMPLES }, () => Math.exp(6 + 3 * Math.random()));
  const times = Object.fromEntries(
    Object.keys(CODES).map((name) => [name, { record: [], encode: [], decode: [] }]),
  );
  for (let round = 0; round < rounds + 1; round += 1) {
    for (const [name, { create, record, encode, decode }] of Object.entries(codes)) {
      const counts = create();
      const recordMs = timed(() => {
        for (const us of latenciesUs) record(counts, us);
      });
      const text = encode(counts);
      const encodeMs = timed(() => repeat(() => encode(counts)));
      const decodeMs = timed(() => repeat(() => decode(text)));
      // The first round compiles.
      if (round === 0) continue;
      times[name].record.push((recordMs * 1e6) / SAMPLES);
      times[name].encode.push((encodeMs * 1e3) / REPEATS);
      times[name].decode.push((decodeMs * 1e3) / REPEATS);
    }
  }
  console.log(`histogram: ${SAMPLES} latencies, medians of ${rounds} interleaved rounds`);
  for (const [name, { record, encode, decode }] of Object.entries(times)) {
    note(
      `code ${name}`,
      `${(bytes[name] / 1000).toFixed(0).padStart(4)} kB, record ${median(record).toFixed(0)} ns, encode ${median(encode).toFixed(0)} µs, decode ${median(decode).toFixed(0)} µs`,
    );
  }
}

/** Writes the code as in a bundle of the product, and returns its size. */
async function bundled(source, file) {
  const entry = '\0entry';
  const { output } = await build({
    input: entry,
    platform: 'node',
    external: [/^node:/],
    // Silences the warning about the library's `eval`.
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id, importer) =>
          id === entry ? entry : importer === entry && id.startsWith('.') ? path.resolve(id) : null,
        load: (id) => (id === entry ? source : null),
      },
    ],
    output: { file, format: 'esm', codeSplitting: false, minify: true },
  });
  return output[0].code.length;
}

function repeat(work) {
  for (let time = 0; time < REPEATS; time += 1) work();
}

function timed(work) {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}
