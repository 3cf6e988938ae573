// Builds both packages: for `probity` the command, the library, the threads of a check and of a load, and the
// supervisor of a started server; for `probity-directory` the command and the thread of its embedded database. They are
// bundled, because a command that loads a thousand small files starts slowly. All but the supervisor, a process of its
// own, are one build, so that no module is in the package twice.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import { fastSpread } from './fast-spread.mjs';

const { version } = manifestOf('.');
const external = [/^node:/, ...['probity-directory', ...installedBeside('.')].map(ofPackage)];
const common = {
  platform: 'node',
  external,
  logLevel: 'warn',
  // On a busy machine, it warns of the time that plugins take.
  checks: { bundlerTimings: false },
  preserveEntrySignatures: 'allow-extension',
};
const ofDirectory = {
  ...common,
  external: [/^node:/, ...installedBeside('directory').map(ofPackage)],
};
/** An error is known by the name of its class. */
const KEEP_CLASSES = { keepNames: { function: false, class: true } };
/** JavaScript engines keep and read a file of ASCII characters in half the memory. */
const SMALL = { format: 'esm', minify: { compress: KEEP_CLASSES, mangle: KEEP_CLASSES }, charset: 'ascii' };
const define = { VERSION: JSON.stringify(version), BUILT: 'true' };

/**
 * Modules that are always loaded together, so that they are one file to open instead of many. Each of these modules is in
 * a chunk with all that it imports, unless a chunk before it has that already. `npm run loads` shows what each command
 * loads.
 */
const LOADED_TOGETHER = {
  base: ['src/cli/main.ts'],
  thread: ['src/check/threads/worker.ts', 'src/suite/precompiled.ts'],
  check: ['src/cli/commands/check.ts'],
  // Commands that show a saved report need both, and would open one more file.
  finish: ['src/cli/terminal/finish.ts', 'src/report/read-report.ts'],
  load: ['src/check/bench/load-worker.ts'],
};

/**
 * What else the thread of a check loads is a chunk for each floor of the sources, as other commands need only the lower
 * ones. Chunks must not import each other in a circle.
 */
const FLOORS = [
  [
    'model',
    /\/src\/(json|text|model|wires|contract\/(?:contract-file|read-contract|sorted-contract)|generated\/(?!checks|portability|texts))/,
  ],
  ['checks', /\/src\/(checks|pickers|generated|contract|portability|inputs\/text-for-pattern)\b/],
  ['inputs', /\/src\/inputs\//],
  ['probe', /\/src\/(latency|processes|probe)\//],
  ['run', /\/src\/(run\/(?!conversations)|judge\/)/],
  ['report', /\/src\/(report|listing)\//],
  ['worker', /\/src\/(check|suite)\//],
];

const CHUNKS = {
  includeDependenciesRecursively: false,
  groups: [
    // Large, and only for saved reports.
    { name: 'test-result', test: /generated\/test-result/, priority: 4 },
    { name: chunkOf, debugName: 'together', priority: 3 },
    {
      name: 'yaml',
      test: /node_modules\/yaml\/|suite\/(?:yaml\/(?!diagnostic|write-yaml)|config\/(?!regressions)|language\/(?!references|check-selector)|listing\/|read-yaml|read-listing)|generated\/schema/,
      priority: 2,
    },
  ],
};

/**
 * Commander can start a program for a subcommand. This command has none of that kind, and loading `child_process` would
 * slow down every start, as would the bundler's way to load the others.
 */
const builtinsOfCommander = {
  name: 'builtins-of-commander',
  transform: {
    filter: { id: /node_modules\/commander\/lib\/command\.js$/ },
    handler: (code) => {
      const loading = "require('node:child_process')";
      if (!code.includes(loading))
        throw new Error('commander no longer loads child_process: remove it from this plugin');
      return code
        .replace(loading, '{}')
        .replaceAll("require('node:", "globalThis.process.getBuiltinModule('node:");
    },
  },
};

/**
 * Packages of every command as ECMAScript modules. The bundler keeps what it needs for CommonJS in a separate chunk,
 * which every command would load only for them.
 */
const withoutCommonJs = {
  name: 'without-common-js',
  load: {
    filter: { id: /node_modules\/commander\/esm\.mjs$/ },
    handler: async (id) => {
      const { output } = await build({
        ...common,
        input: id,
        plugins: [builtinsOfCommander],
        output: { format: 'esm' },
        write: false,
      });
      return output[0].code;
    },
  },
  resolveId: {
    filter: { id: /^(fastest-levenshtein|jsonc-parser)$/ },
    handler: (id) =>
      path.resolve(
        `node_modules/${id === 'jsonc-parser' ? 'jsonc-parser/lib/esm/main.js' : 'fastest-levenshtein/esm/mod.js'}`,
      ),
  },
};

for (const folder of ['dist', 'directory/dist']) rmSync(folder, { recursive: true, force: true });
const bundles = await Promise.all([
  build({
    ...common,
    input: {
      probity: 'src/cli/main.ts',
      'check-worker': 'src/check/threads/check-worker.ts',
      'load-worker': 'src/check/bench/load-worker.ts',
      index: 'src/index.ts',
      model: 'src/entries/model.ts',
      service: 'src/entries/service.ts',
      mcp: 'src/entries/mcp.ts',
      html: 'src/entries/html.ts',
      'command-line': 'src/entries/command-line.ts',
      vitest: 'src/runners/vitest.ts',
      'node-test': 'src/runners/node-test.ts',
    },
    plugins: [withoutCommonJs, fastSpread],
    transform: { define },
    output: { dir: 'dist', ...SMALL, chunkFileNames: 'chunks/[name]-[hash].js', codeSplitting: CHUNKS },
  }),
  build({
    ...common,
    input: { supervisor: 'src/processes/supervisor.ts' },
    plugins: [fastSpread],
    output: { dir: 'dist', ...SMALL, chunkFileNames: 'supervisor/[name]-[hash].js' },
  }),
]);
const directoryBundles = await Promise.all([
  build({
    ...ofDirectory,
    input: { 'probity-directory': 'directory/src/main.ts', index: 'directory/src/index.ts' },
    plugins: [fastSpread],
    transform: { define },
    output: { dir: 'directory/dist', ...SMALL, chunkFileNames: '[name]-[hash].js' },
  }),
  build({
    ...ofDirectory,
    input: { 'directory-store': 'directory/src/db/embedded-worker.ts' },
    plugins: [fastSpread],
    output: { dir: 'directory/dist', ...SMALL, chunkFileNames: 'store/[name]-[hash].js' },
  }),
]);

// The product's suites, read once here instead of at every start. See src/suite/precompiled.ts.
const compiler = 'src/generated/compile-product.js';
await build({
  ...common,
  input: 'scripts/compile-product.ts',
  output: { file: compiler, format: 'esm', codeSplitting: false },
});
const { product } = await import(new URL(`../${compiler}`, import.meta.url).href);
const digests = {};
for (const kind of ['server', 'directory', 'mcp']) {
  const { precompiled, digest } = await product(kind);
  writeFileSync(`dist/product-${kind}.json`, JSON.stringify(precompiled));
  digests[kind] = digest;
}
writeFileSync('dist/product-digests.json', JSON.stringify(digests));
rmSync(compiler);

for (const [folder, made] of [
  ['dist', bundles],
  ['directory/dist', directoryBundles],
])
  writeFileSync(`${folder}/third-party-licenses.txt`, licences(made.flatMap(({ output }) => output)));

function chunkOf(id, graph) {
  if (graph.getModuleInfo(id)?.isEntry) return null;
  const isIn = (file) => importsOf(file, graph).has(id);
  const [together] = Object.entries(LOADED_TOGETHER).find(([, files]) => files.some(isIn)) ?? [];
  // Reading files of the user needs a part of what a check loads together, and nothing of the rest.
  const isLinted = isIn('src/cli/commands/lint/lint-files.ts');
  if (together !== undefined) return isLinted && ['check', 'finish'].includes(together) ? 'core' : together;
  if (!isIn('src/check/threads/check-worker.ts')) return null;
  const floor = FLOORS.find(([, files]) => files.test(id))?.[0] ?? null;
  return isLinted && floor === 'worker' ? 'suites' : floor;
}

/** A module with all that it imports statically, and what these import. */
function importsOf(file, graph) {
  const modules = new Set([path.resolve(file)]);
  for (const id of modules)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) modules.add(imported);
  return modules;
}

/** Packages that npm installs with a package are not in its bundle. */
function installedBeside(folder) {
  const { dependencies = {}, peerDependencies = {} } = manifestOf(folder);
  return Object.keys({ ...dependencies, ...peerDependencies });
}

function ofPackage(name) {
  return new RegExp(`^${name}(/|$)`);
}

/** The licence texts of the packages whose code is in the bundles. */
function licences(outputs) {
  const folders = new Set(
    outputs
      .flatMap(({ moduleIds = [] }) => moduleIds)
      .map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/'))?.[0])
      .filter((folder) => folder !== undefined),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version: packageVersion, license } = manifestOf(folder);
      return `${name} ${packageVersion} (${license})\n\n${licenceText(folder)}`;
    })
    .join(`\n${'-'.repeat(80)}\n`);
}

/** A few packages have it only in their README, and some packages of a monorepo only in a neighbouring folder. */
function licenceText(folder) {
  const { name, repository } = manifestOf(folder);
  const beside = readdirSync(path.dirname(folder)).map((other) => path.join(path.dirname(folder), other));
  const sameRepository = name.startsWith('@')
    ? beside.filter((other) => manifestOf(other).repository?.url === repository?.url)
    : [];
  const text =
    licenceFile(folder) ??
    licenceInReadme(folder) ??
    sameRepository.map(licenceFile).find((one) => one !== null);
  if (text) return text;
  throw new Error(`${folder} has no licence text, which a bundle must contain`);
}

function licenceFile(folder) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  return file === undefined ? null : readFileSync(`${folder}/${file}`, 'utf8');
}

function licenceInReadme(folder) {
  const file = readdirSync(folder).find((entry) => /^readme\.md$/i.test(entry));
  if (file === undefined) return null;
  const sections = readFileSync(`${folder}/${file}`, 'utf8').split(/^#+ /m);
  const section = sections.find((text) => /^licen[cs]e\s*\n/i.test(text));
  return section === undefined ? null : section.slice(section.indexOf('\n')).trim();
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
}
