// Makes rules of biome of scripts/borders.yaml, and runs them on the sources. Biome compares what is written in an
// import, not the file that it names. So each folder gets its own rules, with paths as its files write them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';

const TABLE = 'scripts/borders.yaml';
const ROOTS = ['src', 'directory/src'];
const HERE = import.meta.dirname;
const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** Globals that read a clock, chance, a locale or the machine, reach out of the program, or get around these borders. */
export const IMPURE_GLOBALS =
  `process console performance crypto Intl navigator localStorage sessionStorage location
  document window self global globalThis fetch Request Response Headers WebSocket EventSource XMLHttpRequest
  Worker SharedWorker MessageChannel MessagePort BroadcastChannel SharedArrayBuffer Atomics WebAssembly
  setTimeout setInterval setImmediate queueMicrotask require module exports __dirname __filename
  ReadableStream WritableStream TransformStream CompressionStream DecompressionStream
  Reflect Proxy WeakRef FinalizationRegistry eval Function`.split(/\s+/);
const IMPURE_MEMBERS = ['AbortSignal.timeout', 'Date.now', 'Math.random'];
/** No rule of biome refuses `new Date()` without arguments. */
const NEW_DATE = path.join(HERE, 'new-date.grit');
/** From any value to the whole program or the whole platform; never allowed. */
const WAYS_AROUND = ['constructor', 'getBuiltinModule', 'binding', 'dlopen', 'mainModule'];

/** The parts of the table, folders before what is inside of them, and files last. */
export function parts(text = readFileSync(path.join(HERE, 'borders.yaml'), 'utf8')) {
  return Object.entries(parse(text))
    .map(([name, { folder, files, imports = [], node = [], packages = [], globals = [], why }]) => {
      const usual = name.replace(/^(?:(directory)(?:\/|$))?/, (_, inner) =>
        inner ? 'directory/src/' : 'src/',
      );
      const places = files ?? [(folder ?? usual).replace(/\/$/, '')];
      return { name, isFolder: files === undefined, places, imports, node, packages, globals, why };
    })
    .sort((left, right) => right.isFolder - left.isFolder || left.places[0].length - right.places[0].length);
}

const NOTHING = { imports: [], node: [], packages: [], globals: [] };
const IN_NO_PART = { ...NOTHING, name: 'A folder that is in no part', why: '' };

/** The configuration of biome for all folders below some roots; `folders` are relative to the working directory. */
export function configuration(folders, all = parts()) {
  const overrides = folders.flatMap((folder) => {
    const owner = ownerOf(folder, all) ?? IN_NO_PART;
    const single = all.filter(
      ({ isFolder, places }) => !isFolder && path.posix.dirname(places[0]) === folder,
    );
    const readsDate = [owner, ...single].some(({ globals }) => globals.includes('new Date()'));
    return [
      { includes: [`${folder}/*`], plugins: readsDate ? [] : [NEW_DATE], ...rulesOf(folder, owner, all) },
      ...single.map((part) => ({ includes: part.places, ...rulesOf(folder, part, all) })),
    ];
  });
  return { root: true, linter: { rules: { preset: 'none' } }, overrides };
}

function rulesOf(folder, part, all) {
  const refuse = (what) =>
    `${part.name} must not ${what}. ${part.why} Take it as an argument or move the code. If the border itself is wrong, change "${part.name}" in ${TABLE}.`;
  const denied = IMPURE_GLOBALS.filter((name) => !part.globals.some((one) => one.split('.')[0] === name));
  const imports = { group: allowedImports(folder, part, all), message: refuse('import this') };
  const rule = (options) => ({ level: 'error', options });
  return {
    linter: {
      rules: {
        style: {
          noUnusedTemplateLiteral: 'error',
          noRestrictedImports: rule({ patterns: [imports] }),
          noRestrictedGlobals: rule({
            deniedGlobals: Object.fromEntries(denied.map((name) => [name, refuse(`use ${name}`)])),
          }),
        },
        nursery: { noJsRestrictedProperties: rule({ entries: restrictedMembers(part, refuse) }) },
      },
    },
  };
}

/**
 * Patterns as in .gitignore: everything is refused, and what is allowed excepted. The last one that matches decides.
 * They are few, because each takes biome as long as the rest of an import.
 */
function allowedImports(folder, part, all) {
  const isAllowed = (other) => other === part || part.imports.includes(other?.name);
  const owners = folder
    .split('/')
    .map((_, level, names) => ownerOf(names.slice(0, -level || undefined).join('/'), all));
  const levels = [...owners, undefined].map(
    (owner, level) => `${isAllowed(owner) ? '!' : ''}${'../'.repeat(level) || './'}**`,
  );
  const others = all.filter(({ places: [place] }) => !`${folder}/`.startsWith(`${place}/`));
  const allowed = others.filter(isAllowed);
  // A refused part needs a pattern only inside of an allowed one.
  const refused = others.filter(
    (other) => !isAllowed(other) && isAllowed(ownerOf(path.posix.dirname(other.places[0]), all)),
  );
  const pathsOf = (some, isFolder) =>
    some
      .filter((one) => one.isFolder === isFolder)
      .flatMap(({ places }) =>
        places.map((place) => path.posix.relative(folder, place).replace(/^(?!\.)/, './')),
      );
  const packages = part.packages.filter((name) => !/^probity\b/.test(name)); // of our own, each entry is listed
  return [
    ...['**', ...levels],
    ...oneOf('!', [...pathsOf(allowed, true), ...packages], '/**'),
    ...oneOf('', pathsOf(refused, true), '/**'),
    ...oneOf(
      '!',
      [...pathsOf(allowed, false), ...part.packages, ...part.node.map((name) => `node:${name}`)],
      '',
    ),
    ...oneOf('', pathsOf(refused, false), ''),
  ];
}

function oneOf(before, names, after) {
  if (names.length === 0) return [];
  return [`${before}${names.length > 1 ? `{${names.join(',')}}` : names[0]}${after}`];
}

function ownerOf(folder, all) {
  return all.findLast(({ isFolder, places: [place] }) => isFolder && `${folder}/`.startsWith(`${place}/`));
}

/** Members that are refused: those of an allowed global of which only some are named, and impure ones of pure globals. */
function restrictedMembers({ globals }, refuse) {
  const named = globals.filter((one) => /^\w+\.\w+$/.test(one) && !IMPURE_MEMBERS.includes(one));
  const objects = [...new Set(named.map((one) => one.split('.')[0]))].filter((one) => !globals.includes(one));
  const of = (object) => named.filter((one) => one.startsWith(`${object}.`)).map((one) => one.split('.')[1]);
  return [
    ...objects.map((object) => ({
      object,
      allowProperties: of(object),
      message: refuse(`use more of ${object}`),
    })),
    ...IMPURE_MEMBERS.filter((one) => !globals.includes(one)).map((one) => {
      const [object, property] = one.split('.');
      return { object, property, message: refuse(`use ${one}`) };
    }),
    ...WAYS_AROUND.map((property) => ({ property, message: refuse('get around its borders') })),
  ];
}

/** Every folder below some roots, with the roots. */
export function foldersIn(root, roots = ROOTS) {
  return roots.flatMap((one) => [
    one,
    ...readdirSync(path.join(root, one), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')),
  ]);
}

/** Runs the rules on the sources below a folder. */
export function checkBorders(root, options = [], stdio = 'inherit') {
  const file = path.join(root, 'node_modules/.cache/probity/borders.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(configuration(foldersIn(root))));
  const given = ['lint', `--config-path=${file}`, '--error-on-warnings', ...options, ...ROOTS];
  return spawnSync(process.execPath, [BIOME, ...given], {
    cwd: root,
    stdio,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exitCode = checkBorders(fileURLToPath(new URL('..', import.meta.url))).status ?? 1;
