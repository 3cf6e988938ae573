// Compares the imports and globals of every file under src/ with scripts/borders.mjs, and prints violations.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { IMPURE_MEMBERS, PARTS, PURE_GLOBALS, WAYS_AROUND } from './borders.mjs';
import { bare, globalName, globalsIn, memberName, textOf } from './globals-in.mjs';

const TABLE = 'scripts/borders.mjs';
/** Each entry of these packages is listed separately. */
const OWN_PACKAGE = /^probity(-directory)?(\/|$)/;
const CODE = /\.[cm]?[jt]sx?$/;
const TYPESCRIPT_LANGUAGES = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx' };

/** The parts of a file; a file of the product is in exactly one. Paths use "/". */
export function partsOf(file, parts = PARTS) {
  const around = parts.filter(({ folder }) => file.startsWith(`${folder}/`));
  const named = around.filter(({ folder, only }) => only?.includes(file.slice(folder.length + 1)));
  const folders = around.filter(({ only }) => only === undefined);
  const deepest = Math.max(...folders.map(({ folder }) => folder.length));
  return named.length > 0 ? named : folders.filter(({ folder }) => folder.length === deepest);
}

/** Everything in a file that the table does not allow, with place and remedy. */
export function problemsIn(file, text, parts = PARTS) {
  const [part, ...others] = partsOf(file, parts);
  if (part === undefined)
    return [problem(file, 1, 1, 'is in no part', `Add its folder, or the file, to ${TABLE}.`)];
  if (others.length > 0) {
    const names = [part, ...others].map(({ name }) => name).join(' and ');
    return [problem(file, 1, 1, `is in several parts: ${names}`, `Leave it in one part of ${TABLE}.`)];
  }
  return reachesOf(file, text).flatMap((reach) => {
    const { line, column } = reach;
    if (reach.specifier === null) {
      const what = 'imports a name that is only known at run time';
      return [problem(file, line, column, what, 'Import a literal name, so that the border can be checked.')];
    }
    const wanted = allowanceFor(file, reach, part, parts);
    if (wanted.allowedBy !== null) return [];
    const what = `${part.name} must not ${wanted.words}. ${part.why}`;
    const fix = `Take it as an argument or move the code. If the border itself is wrong, change "${part.name}" in ${TABLE}.`;
    return [problem(file, line, column, what, fix)];
  });
}

/** Permissions that no file uses, which could allow something by mistake. */
export function unusedAllowances(texts, parts = PARTS) {
  const used = new Map(parts.map(({ name }) => [name, new Set()]));
  for (const [file, text] of texts) {
    const [part] = partsOf(file, parts);
    if (part === undefined) continue;
    for (const reach of reachesOf(file, text))
      if (reach.specifier !== null) used.get(part.name).add(allowanceFor(file, reach, part, parts).allowedBy);
  }
  return parts.flatMap(({ name, imports, node = [], packages = [], globals = [] }) =>
    [
      ...[...imports, ...node, ...packages].map((allowed) => ({ allowed, verb: 'import' })),
      ...globals.map((allowed) => ({ allowed, verb: 'use' })),
    ]
      .filter(({ allowed }) => !used.get(name).has(allowed))
      .map(({ allowed, verb }) => {
        const what = `"${name}" may ${verb} ${allowed}, which no file of it does`;
        return problem(TABLE, 1, 1, what, 'Remove it there.');
      }),
  );
}

/** The source files of both packages with their texts. */
export function sourceTexts() {
  return ['src', 'directory/src']
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name).split(path.sep).join('/'))
    .sort()
    .map((file) => [file, CODE.test(file) ? readFileSync(file, 'utf8') : '']);
}

/** The entry that allows a part to use something, or null, with a description. */
function allowanceFor(file, { specifier, global }, part, parts) {
  const first = (list, fits) => list?.find(fits) ?? null;
  if (global !== undefined) {
    const around = [global, rootOf(global)].some((name) => WAYS_AROUND.has(name));
    const fits = (name) => name === global || (!around && name === rootOf(global));
    return {
      words: `use ${global}${around ? ', which gets around these borders' : ''}`,
      allowedBy: first(part.globals, fits),
    };
  }
  if (specifier.startsWith('node:'))
    return { words: `import ${specifier}`, allowedBy: first(part.node, (name) => name === specifier) };
  if (!/^\.\.?(\/|$)/.test(specifier)) {
    const isOwn = OWN_PACKAGE.test(specifier);
    const fits = (name) => specifier === name || (!isOwn && specifier.startsWith(`${name}/`));
    return { words: `import the package ${specifier}`, allowedBy: first(part.packages, fits) };
  }
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  const owners = partsOf(target, parts);
  const [owner] = owners;
  if (owner === undefined || owners.length > 1)
    return { words: `import ${target}, which is in no part`, allowedBy: null };
  if (owner.name === part.name) return { words: `import ${target}`, allowedBy: part.name };
  const fits = (name) => name === owner.name || name === target;
  return { words: `import ${target}, which is in ${owner.name}`, allowedBy: first(part.imports, fits) };
}

function rootOf(global) {
  return global.startsWith('import.meta') ? 'import.meta' : global.split('.')[0];
}

const known = new Map();

/** What a file uses, with the places: a `specifier`, which is null if it is not a literal, or an impure `global`. */
function reachesOf(file, text) {
  if (!CODE.test(file)) return [];
  const key = `${file}\n${text}`;
  if (!known.has(key)) {
    const lang = TYPESCRIPT_LANGUAGES[path.extname(file)] ?? 'jsx';
    const { program, comments, errors } = parseSync(file, text, { lang });
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    const uses = globalsIn(program, (node) => fileBeside(node) !== null)
      .filter((use) => !isPure(use.name))
      .map(({ name, start }) => ({ global: name, start }));
    const found = [...importsIn(program), ...uses, ...comments.flatMap(reachesOfComment)];
    known.set(
      key,
      found.map(({ start, ...reach }) => ({ ...reach, ...placeOf(text, start) })),
    );
  }
  return known.get(key);
}

function isPure(global) {
  const [name, member] = global.split('.');
  if (!PURE_GLOBALS.has(name)) return false;
  const impure = IMPURE_MEMBERS[name];
  return impure === undefined || (member !== undefined && !impure.includes(member));
}

/** Every import of a program: static, of types, re-exported, import(), import types, import = require, new URL(). */
function importsIn(program) {
  const found = [];
  const add = (node) => {
    if (node !== null) found.push({ specifier: textOf(node), start: node.start });
  };
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    TSModuleDeclaration: ({ id }) => add(id.type === 'Literal' ? id : null),
    NewExpression: (node) => {
      const specifier = fileBeside(node);
      if (specifier !== null) found.push({ specifier, start: node.arguments[0].start });
    },
  }).visit(program);
  return found;
}

/** The file in `new URL('file', import.meta.url)`, written like an import. */
function fileBeside({ callee, arguments: [file, base] }) {
  if (globalName(bare(callee)) !== 'URL' || base === undefined) return null;
  const place = bare(base);
  const isHere = place.type === 'MemberExpression' && globalName(bare(place.object)) === 'import.meta';
  const name = isHere && memberName(place) === 'url' ? textOf(bare(file)) : null;
  return name === null ? null : asRelative(name);
}

function asRelative(name) {
  return /^[./]/.test(name) ? name : `./${name}`;
}

/** Comments that the compiler reads as imports. */
function reachesOfComment({ type, value, start }) {
  const all = (pattern, reach) =>
    [...value.matchAll(pattern)].map((match) => ({ ...reach(match), start: start + 2 + match.index }));
  const reference = all(
    /^\/\s*<reference\s.*?\b(path|types|lib)\s*=\s*(["'])(.+?)\2/g,
    ([, kind, , name]) => ({
      specifier: kind === 'path' ? asRelative(name) : kind === 'lib' ? `@typescript/lib-${name}` : name,
    }),
  );
  if (type === 'Line') return reference;
  const pragmas = [
    ...all(/@jsxImportSource\s+(\S+)/g, ([, specifier]) => ({ specifier })),
    ...all(/@jsx(?:Frag|Runtime)?(?=\s+\S)/g, ([global]) => ({ global })),
  ];
  if (!value.startsWith('*')) return pragmas;
  return [
    ...pragmas,
    ...all(/@import\s(?:[^'"@]*?\sfrom\s*)?\s*(['"])(.+?)\1/g, ([, , specifier]) => ({ specifier })),
    ...all(/\bimport\s*\(\s*(['"`])(.+?)\1/g, ([, , specifier]) => ({ specifier })),
  ];
}

function placeOf(text, start) {
  const lines = text.slice(0, start).split('\n');
  return { line: lines.length, column: lines.at(-1).length + 1 };
}

function problem(file, line, column, what, fix) {
  return `${file}:${line}:${column}: ${what}\n  ${fix}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const texts = sourceTexts();
  const problems = [...texts.flatMap(([file, text]) => problemsIn(file, text)), ...unusedAllowances(texts)];
  for (const message of problems) console.error(message);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
