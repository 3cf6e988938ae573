// Compares every import under src/ with scripts/borders.mjs, and prints those that cross a border.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { PARTS } from './borders.mjs';

const TABLE = 'scripts/borders.mjs';
const CODE = /\.[cm]?[jt]sx?$/;
const TYPESCRIPT_LANGUAGES = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx' };

/** The parts that a file is in; a file of the product is in one. Paths are written with "/". */
export function partsOf(file, parts = PARTS) {
  const around = parts.filter(({ folder }) => file.startsWith(`${folder}/`));
  const named = around.filter(({ folder, only }) => only?.includes(file.slice(folder.length + 1)));
  const folders = around.filter(({ only }) => only === undefined);
  const deepest = Math.max(...folders.map(({ folder }) => folder.length));
  return named.length > 0 ? named : folders.filter(({ folder }) => folder.length === deepest);
}

/** Everything in a file that the table does not allow, with its place and what to do. */
export function problemsIn(file, text, parts = PARTS) {
  const [part, ...others] = partsOf(file, parts);
  if (part === undefined)
    return [problem(file, 1, 1, 'is in no part', `Add its folder, or the file, to ${TABLE}.`)];
  if (others.length > 0) {
    const names = [part, ...others].map(({ name }) => name).join(' and ');
    return [problem(file, 1, 1, `is in several parts: ${names}`, `Leave it in one part of ${TABLE}.`)];
  }
  return importsIn(file, text).flatMap(({ specifier, line, column }) => {
    if (specifier === null) {
      const what = 'imports what only the running program knows';
      return [problem(file, line, column, what, 'Import a literal name, so that the border can be checked.')];
    }
    const wanted = allowanceFor(file, specifier, part, parts);
    if (wanted.allowedBy !== null) return [];
    const what = `${part.name} must not import ${wanted.words}. ${part.why}`;
    const fix = `Take it as an argument or move the code. If the border itself is wrong, change "${part.name}" in ${TABLE}.`;
    return [problem(file, line, column, what, fix)];
  });
}

/** Allowances that no file uses: they would let in what nobody meant to allow. */
export function unusedAllowances(texts, parts = PARTS) {
  const used = new Map(parts.map(({ name }) => [name, new Set()]));
  for (const [file, text] of texts) {
    const [part] = partsOf(file, parts);
    if (part === undefined) continue;
    for (const { specifier } of importsIn(file, text))
      if (specifier !== null) used.get(part.name).add(allowanceFor(file, specifier, part, parts).allowedBy);
  }
  return parts.flatMap((part) => {
    const unused = [...part.imports, ...(part.node ?? []), ...(part.packages ?? [])].filter(
      (allowed) => !used.get(part.name).has(allowed),
    );
    return unused.map((allowed) =>
      problem(
        TABLE,
        1,
        1,
        `"${part.name}" may import ${allowed}, which no file of it does`,
        'Remove it there.',
      ),
    );
  });
}

/** The files under src/ with their texts. */
export function sourceTexts() {
  return readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name).split(path.sep).join('/'))
    .sort()
    .map((file) => [file, CODE.test(file) ? readFileSync(file, 'utf8') : '']);
}

function allowanceFor(file, specifier, part, parts) {
  const first = (list, fits) => list?.find(fits) ?? null;
  if (specifier.startsWith('node:'))
    return { words: specifier, allowedBy: first(part.node, (name) => name === specifier) };
  if (!/^\.\.?(\/|$)/.test(specifier)) {
    const fits = (name) => specifier === name || specifier.startsWith(`${name}/`);
    return { words: `the package ${specifier}`, allowedBy: first(part.packages, fits) };
  }
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  const owners = partsOf(target, parts);
  const [owner] = owners;
  if (owner === undefined || owners.length > 1)
    return { words: `${target}, which is in no part`, allowedBy: null };
  if (owner.name === part.name) return { words: target, allowedBy: part.name };
  const fits = (name) => name === owner.name || name === target;
  return { words: `${target}, which is in ${owner.name}`, allowedBy: first(part.imports, fits) };
}

/** Every import of a file: static, of types, re-exported, import(), import types, require and getBuiltinModule. */
function importsIn(file, text) {
  if (!CODE.test(file)) return [];
  const lang = TYPESCRIPT_LANGUAGES[path.extname(file)] ?? 'jsx';
  const { program, errors } = parseSync(file, text, { lang });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const found = [];
  const add = (node) => {
    if (node === null || node === undefined) return;
    found.push({ specifier: textOf(node), ...placeOf(text, node.start) });
  };
  const calls = ({ callee, arguments: [first] }) => {
    const name = callee.type === 'MemberExpression' ? callee.property.name : callee.name;
    const isRequire = name === 'require' || (name === 'resolve' && callee.object?.name === 'require');
    if (isRequire || name === 'getBuiltinModule') add(first);
  };
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    CallExpression: calls,
  }).visit(program);
  return found;
}

function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  return node.type === 'TemplateLiteral' && node.expressions.length === 0
    ? node.quasis[0].value.cooked
    : null;
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
