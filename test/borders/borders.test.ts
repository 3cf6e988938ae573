import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

interface Part {
  readonly name: string;
  readonly folder: string;
  readonly only?: readonly string[];
  readonly imports: readonly string[];
  readonly node?: readonly string[];
  readonly packages?: readonly string[];
  readonly globals?: readonly string[];
  readonly why: string;
}

type Texts = readonly (readonly [file: string, text: string])[];

interface Borders {
  readonly PARTS: readonly Part[];
  readonly PURE_GLOBALS: ReadonlySet<string>;
  readonly WAYS_AROUND: ReadonlySet<string>;
  readonly partsOf: (file: string) => readonly Part[];
  readonly problemsIn: (file: string, text: string, parts?: readonly Part[]) => readonly string[];
  readonly unusedAllowances: (texts: Texts, parts?: readonly Part[]) => readonly string[];
  readonly sourceTexts: () => Texts;
}

const script = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const { PARTS, PURE_GLOBALS, WAYS_AROUND, partsOf, problemsIn, sourceTexts, unusedAllowances }: Borders = {
  ...(await import(script('borders.mjs'))),
  ...(await import(script('check-borders.mjs'))),
};

const NODE_MODULES = builtinModules.map((name) => `node:${name}`);
const [harness, directory] = ['package.json', 'directory/package.json'].map((file) =>
  JSON.parse(readFileSync(file, 'utf8')),
);
const ENTRIES = Object.keys(harness.exports).flatMap((entry) =>
  /^\.(\/[a-z-]+)?$/.test(entry) ? [`probity${entry.slice(1)}`] : [],
);
const PACKAGES = [
  ...new Set([...Object.keys({ ...harness.devDependencies, ...directory.devDependencies }), ...ENTRIES]),
];

/** A file of a part; it need not exist. */
const fileOf = ({ folder, only }: Part, name = 'sample.ts'): string => `${folder}/${only?.[0] ?? name}`;
const pathTo = (from: Part, target: string): string => {
  const relative = path.posix.relative(path.posix.dirname(fileOf(from)), target);
  return relative.startsWith('.') ? relative : `./${relative}`;
};
const importing = (part: Part, specifier: string, file = fileOf(part)): readonly string[] =>
  problemsIn(file, `import { one } from '${specifier}';\n`);
/** One file for all, because there are thousands of pairs of a part and an import. */
const importingEach = (part: Part, specifiers: readonly string[]): readonly string[] =>
  problemsIn(fileOf(part), specifiers.map((specifier) => `import '${specifier}';`).join('\n'));

/** Other ways to import. */
const FORMS: Readonly<Record<string, (specifier: string) => string>> = {
  'an import': (specifier) => `import { one } from '${specifier}';`,
  'a type import': (specifier) => `import type { One } from '${specifier}';`,
  'a type among values': (specifier) => `import { type One } from '${specifier}';`,
  'an import for its effect': (specifier) => `import '${specifier}';`,
  'a namespace import': (specifier) => `import * as all from '${specifier}';`,
  'a re-export': (specifier) => `export { one } from '${specifier}';`,
  'a re-export of types': (specifier) => `export type { One } from '${specifier}';`,
  'a re-export of everything': (specifier) => `export * from '${specifier}';`,
  'a dynamic import': (specifier) => `const one = await import('${specifier}');`,
  'a dynamic import of a template': (specifier) => `const one = await import(\`${specifier}\`);`,
  'the type of an import': (specifier) => `let one: typeof import('${specifier}');`,
  'a type of an import': (specifier) => `let one: import('${specifier}').One;`,
  'an import by require': (specifier) => `import one = require('${specifier}');`,
  'an augmented module': (specifier) => `declare module '${specifier}' {}`,
  'a reference to types': (specifier) => `/// <reference types="${specifier}" />`,
  'an import in JSDoc': (specifier) => `/** @import { One } from '${specifier}' */`,
  'an import of all in JSDoc': (specifier) => `/**\n * @import * as all from "${specifier}"\n */`,
  'a type in JSDoc': (specifier) => `/** @type {{ one: import('${specifier}').One }} */`,
  'the import source of JSX': (specifier) => `/** @jsxImportSource ${specifier} */`,
};

/** These can only name files. */
const FILE_FORMS: typeof FORMS = {
  'a URL beside the module': (file) => `const one = new URL('${file}', import.meta.url);`,
  'a worker': (file) => `(Worker: any) => new Worker(new URL(\`${file}\`, import.meta['url']));`,
  'a reference to a path': (file) => `/// <reference path="${file}" />`,
};

/** Forms that JavaScript has too. */
const isJavaScript = (text: string): boolean =>
  !/type |typeof|import\('|import one =|declare|: any|\bas any|!/.test(text) || text.startsWith('/');

const PLATFORM = Object.getOwnPropertyNames(globalThis).filter((name) => /^[\w$]+$/.test(name));
const BROWSER = [
  'Worker',
  'SharedWorker',
  'XMLHttpRequest',
  'EventSource',
  'WebSocket',
  'navigator',
  'document',
];
const IMPURE_GLOBALS = [
  ...new Set([...PLATFORM, ...BROWSER, 'localStorage', 'location', 'window', 'require', 'module']),
].filter((name) => !PURE_GLOBALS.has(name));

/** Impure uses of otherwise pure globals, and uses that are not plain names. */
const IMPURE_USES: Readonly<Record<string, string>> = {
  'Date.now()': 'Date.now',
  "Date['now']()": 'Date.now',
  'new Date()': 'new Date()',
  'new Date(...[])': 'new Date()',
  'Date()': 'Date',
  'Reflect.construct(Date, [])': 'Reflect.construct',
  'Math.random()': 'Math.random',
  '[Math]': 'Math',
  'Math[name]': 'Math',
  'AbortSignal.timeout(1)': 'AbortSignal.timeout',
  'process.env.HOME': 'process.env',
  'performance.now()': 'performance.now',
  'crypto.randomUUID()': 'crypto.randomUUID',
  'import.meta': 'import.meta',
  'import.meta.dirname': 'import.meta.dirname',
  'new URL(name, import.meta.url)': 'import.meta.url',
};

/** Other ways to use a global. */
const USES: Readonly<Record<string, (name: string) => string>> = {
  'a call': (name) => `${name}();`,
  'a call of a call': (name) => `${name}.call(null);`,
  'a call of something else': (name) => `(0, ${name})();`,
  construction: (name) => `new ${name}();`,
  inheritance: (name) => `class One extends ${name} {}`,
  'another name': (name) => `const one = ${name}; one();`,
  'an argument': (name) => `[].map(${name});`,
  'a member': (name) => `${name}?.one;`,
  'a member in brackets': (name) => `${name}['one'];`,
  'a computed member': (name) => `(one) => ${name}[one];`,
  destructuring: (name) => `const { one: two } = ${name};`,
  'assigned destructuring': (name) => `let one; ({ one } = ${name});`,
  'a shorthand': (name) => `const one = { ${name} };`,
  'a default': (name) => `({ one = ${name} }) => one;`,
  'a default beside a variable': (name) => `function f(one = ${name}) { var ${name}; return one; }`,
  'a computed key': (name) => `class One { [${name}] = 1; }`,
  'a template': (name) => `const one = \`\${${name}}\`;`,
  assignment: (name) => `${name} = 1;`,
  typeof: (name) => `const one = typeof ${name};`,
  'a function within': (name) => `class One { static two() { return () => ${name}; } }`,
  'a name beside its scope': (name) => `{ const ${name} = 1; } { ${name}; }`,
  'a name beside its function': (name) => `((${name}) => 1)(${name});`,
  'an ambient declaration': (name) => `declare const ${name}: any; ${name}();`,
  'an overload without a body': (name) => `declare function ${name}(): void; ${name}();`,
  'another type': (name) => `const one = (${name} as any).two;`,
  'what is not null': (name) => `const one = ${name}!.two;`,
};

/** Ways around the table, with their names. */
const AROUND: Readonly<Record<string, string>> = {
  "require('node:fs')": 'require',
  "require.resolve('./x.ts')": 'require.resolve',
  "((r) => r('node:fs'))(require)": 'require',
  'process.getBuiltinModule': 'getBuiltinModule',
  "process.getBuiltinModule('node:fs')": 'getBuiltinModule',
  "process['getBuiltinModule']('node:fs')": 'getBuiltinModule',
  'process?.[`getBuiltinModule`]': 'getBuiltinModule',
  '(({ getBuiltinModule }) => getBuiltinModule)(known)': 'getBuiltinModule',
  "process.binding('fs')": 'process.binding',
  "process['dlopen'](known)": 'process.dlopen',
  "import.meta.resolve('./x.ts')": 'import.meta.resolve',
  "import.meta['resolve']('./x.ts')": 'import.meta.resolve',
  "eval('1')": 'eval',
  "(0, eval)('1')": 'eval',
  "new Function('return 1')": 'Function',
  'Function.prototype': 'Function.prototype',
  "(() => 1).constructor('return 1')": 'constructor',
  'globalThis.fetch': 'globalThis.fetch',
  'global.process': 'global.process',
};

const REMEDY = 'Take it as an argument or move the code.';

describe('the sources', () => {
  const texts = sourceTexts();

  test('are each in exactly one part', () => {
    expect(texts.length).toBeGreaterThan(500);
    expect(texts.filter(([file]) => partsOf(file).length !== 1)).toEqual([]);
  });

  test('cross no border', () => {
    expect(texts.flatMap(([file, text]) => problemsIn(file, text))).toEqual([]);
  });

  test('use every permission', () => {
    expect(unusedAllowances(texts)).toEqual([]);
  });

  test('contain every file in the table', () => {
    const files = new Set(texts.map(([file]) => file));
    const named = PARTS.flatMap(({ folder, only = [] }) => only.map((name) => `${folder}/${name}`));
    expect(named.filter((file) => !files.has(file))).toEqual([]);
    expect(PARTS.filter((part) => ![...files].some((file) => partsOf(file).includes(part)))).toEqual([]);
  });
});

describe.each(PARTS)('$name', (part) => {
  const { name, imports, node = [], packages = [], globals = [], why } = part;
  const inJavaScript = fileOf(part).endsWith('.js');
  const canHold = (text: string): boolean => !inJavaScript || isJavaScript(text);
  const isNamed = (use: string): boolean =>
    globals.includes(use) || globals.includes(use.split('.')[0] ?? use);
  const using = (text: string) => problemsIn(fileOf(part), text);
  const allowed = (other: Part): boolean =>
    other.name === name || imports.includes(other.name) || imports.includes(fileOf(other));
  const forbiddenParts = PARTS.filter((other) => !allowed(other));
  const isPackageAllowed = (one: string) =>
    packages.some((known) => known.split('/')[0] === one.split('/')[0]);

  test('imports no part that it does not name', () => {
    expect(forbiddenParts.length).toBeGreaterThan(0);
    const found = importingEach(
      part,
      forbiddenParts.map((other) => pathTo(part, fileOf(other))),
    );
    expect(found).toEqual(
      forbiddenParts.map((other, index) =>
        expect.stringContaining(
          `:${index + 1}:8: ${name} must not import ${fileOf(other)}, which is in ${other.name}. ${why}`,
        ),
      ),
    );
    expect(found.filter((one) => !one.includes(REMEDY))).toEqual([]);
  });

  test('imports no module of Node that it does not name, with or without the prefix', () => {
    const forbidden = NODE_MODULES.filter((one) => !node.includes(one));
    expect(importingEach(part, forbidden)).toEqual(
      forbidden.map((one) => expect.stringContaining(`must not import ${one}. ${why}`)),
    );
    expect(importing(part, 'fs')).toEqual([expect.stringContaining('must not import the package fs. ')]);
  });

  test('imports no package that it does not name', () => {
    const forbidden = PACKAGES.filter((known) => !isPackageAllowed(known)).flatMap((one) => [
      one,
      `${one}/deep.js`,
    ]);
    expect(importingEach(part, forbidden)).toEqual(
      forbidden.map((one) => expect.stringContaining(`must not import the package ${one}. `)),
    );
  });

  test.each(Object.entries(FORMS).filter(([, write]) => canHold(write(''))))('nor by %s', (_, write) => {
    const [sibling] = forbiddenParts as [Part];
    for (const specifier of [pathTo(part, fileOf(sibling)), 'node:repl', 'nowhere', '../../test/x.ts'])
      expect(using(write(specifier)), specifier).toEqual([
        expect.stringContaining(`${name} must not import `),
      ]);
  });

  test.each(Object.entries(FILE_FORMS).filter(([, write]) => canHold(write(''))))('nor by %s', (_, write) => {
    const [sibling] = forbiddenParts as [Part];
    for (const file of [pathTo(part, fileOf(sibling)), '../../test/x.ts'])
      expect(using(write(file)), file).toEqual([expect.stringContaining(`${name} must not import `)]);
  });

  test('uses no impure global that it does not name', () => {
    expect(IMPURE_GLOBALS).toEqual(expect.arrayContaining(['process', 'fetch', 'console', 'crypto', 'Intl']));
    const forbidden = IMPURE_GLOBALS.filter((one) => !isNamed(one));
    const found = using(forbidden.map((global) => `{ const one = ${global}; }`).join('\n'));
    expect(found).toEqual(
      forbidden.map((global, index) =>
        expect.stringContaining(`:${index + 1}:15: ${name} must not use ${global}`),
      ),
    );
    expect(found.filter((one) => !one.includes(why) || !one.includes(REMEDY))).toEqual([]);
  });

  test.each(Object.entries(IMPURE_USES))('does not use %s unless the table names it', (text, use) => {
    expect(
      using(`(name) => ${text};`).filter((found) => found.includes(` must not use ${use}. ${why}`)),
    ).toHaveLength(isNamed(use) ? 0 : 1);
  });

  test.each(Object.entries(USES))('nor uses one by %s', (_, write) => {
    const refused = ['fetch', 'process', 'console', 'WebAssembly'].filter(
      (one) => !isNamed(one) && canHold(write(one)),
    );
    expect(refused.map((global) => using(write(global)))).toEqual(
      refused.map((global) => [expect.stringContaining(`${name} must not use ${global}`)]),
    );
  });

  test.each(Object.entries(AROUND))('does not get around its borders by %s', (text, use) => {
    expect(using(`(known) => ${text};`)).toEqual([
      expect.stringContaining(`${name} must not use ${use}, which gets around these borders. ${why}`),
    ]);
  });

  test('may use what it names', () => {
    for (const global of globals) {
      expect(using(`const one = ${global};`), global).toEqual([]);
      if (/^\w+$/.test(global)) expect(using(`const one = ${global}.two;`), global).toEqual([]);
    }
    expect(globals.filter((global) => PURE_GLOBALS.has(global) || WAYS_AROUND.has(global))).toEqual([]);
  });

  test('may import what it names', () => {
    const own = PARTS.filter((other) => allowed(other)).map((other) => pathTo(part, fileOf(other)));
    expect([...own, ...node, ...packages].flatMap((specifier) => importing(part, specifier))).toEqual([]);
  });

  const { folder, only } = part;
  if (only !== undefined) return;

  test('is as strict in a folder below it', () => {
    const file = `${folder}/one/two/sample.ts`;
    const [sibling] = forbiddenParts as [Part];
    const target = path.posix.relative(path.posix.dirname(file), fileOf(sibling));
    expect(importing(part, target, file)).toHaveLength(1);
    expect(importing(part, '../sample.ts', file)).toEqual([]);
  });
});

describe('a file', () => {
  test('that crosses a border is reported with the place, the reason and the remedy', () => {
    const text = "import { visible } from '../visible.ts';\n\n  import { readFileSync } from 'node:fs';\n";
    expect(problemsIn('src/report/formats/tap.ts', text)).toEqual([
      'src/report/formats/tap.ts:3:32: report/formats must not import node:fs. Report formats are pure: a result in, text out. No file, network or clock.\n  Take it as an argument or move the code. If the border itself is wrong, change "report/formats" in scripts/borders.mjs.',
    ]);
  });

  test('in a folder that the table does not know is refused, and so is its import', () => {
    expect(problemsIn('src/new/one.ts', '')).toEqual([
      'src/new/one.ts:1:1: is in no part\n  Add its folder, or the file, to scripts/borders.mjs.',
    ]);
    expect(problemsIn('src/other.ts', '')).toHaveLength(1);
    expect(problemsIn('src/cli/one.ts', "import '../new/one.ts';")).toEqual([
      expect.stringContaining('must not import src/new/one.ts, which is in no part.'),
    ]);
  });

  test('that is named twice is refused', () => {
    const parts = [...PARTS, { ...(PARTS.find(({ only }) => only !== undefined) as Part), name: 'twice' }];
    const [file] = parts.at(-1)?.only ?? [];
    expect(problemsIn(`${parts.at(-1)?.folder}/${file}`, '', parts)).toEqual([
      expect.stringMatching(/is in several parts: .* and twice/),
    ]);
  });

  test.each(['import(name)', 'require(name)', 'import(`./${name}.ts`)', "process.getBuiltinModule('fs')"])(
    'with %s is refused',
    (expression) => {
      expect(problemsIn('src/checks/one.ts', `(name) => ${expression};`)).toHaveLength(1);
    },
  );

  test('that uses a global is reported with the place, the reason and the remedy', () => {
    expect(problemsIn('src/checks/one.ts', 'export const one = 1;\n  const now = Date.now();\n')).toEqual([
      'src/checks/one.ts:2:15: checks must not use Date.now. Checks are pure: they see exchanges and return findings. Clock, randomness, network and files are arguments.\n  Take it as an argument or move the code. If the border itself is wrong, change "checks" in scripts/borders.mjs.',
    ]);
  });

  test.each([
    ["const load = process.getBuiltinModule; load('node:fs');", ['getBuiltinModule']],
    ["await fetch('http://one.example');", ['fetch']],
    ['const seed = Date.now() + Math.random();', ['Date.now', 'Math.random']],
    ["const r = require; r('node:fs');", ['require']],
    ["process['getBuiltinModule']('node:fs');", ['getBuiltinModule']],
    ['const { getBuiltinModule: g } = process;', ['getBuiltinModule', 'process']],
    ["process.getBuiltinModule.call(process, 'node:fs');", ['getBuiltinModule', 'process']],
    ["process.binding('fs');", ['process.binding']],
    ["new Worker(new URL('../cli/main.ts', import.meta.url));", ['src/cli/main.ts', 'Worker']],
    ["import.meta.resolve('node:fs');", ['import.meta.resolve']],
    ["new Function('return process')();", ['Function']],
    ['/// <reference path="../cli/main.ts" />', ['src/cli/main.ts']],
    ['/// <reference path="one.ts" />', []],
    ['/// <reference lib="dom" />', ['the package @typescript/lib-dom']],
    ["declare module '../cli/main.ts' {}", ['src/cli/main.ts']],
    ["/** @import { One } from '../cli/main.ts' */", ['src/cli/main.ts']],
    ["/** @param {import('../cli/main.ts').One} one */", ['src/cli/main.ts']],
    ['/** @jsxImportSource ../cli */', ['src/cli']],
    ['/** @jsxRuntime classic */ /** @jsx process.getBuiltinModule */', ['@jsxRuntime', '@jsx']],
  ])('of a pure part is reported for %s', (text, what) => {
    const found = problemsIn('src/checks/one.tsx', text);
    expect(
      found.map((message) => message.match(/must not (?:use|import) (the package \S+?|\S+?)[.,]? /)?.[1]),
    ).toEqual(what);
  });

  test.each([
    'function f(process, performance) { return process.env + performance.now(); }',
    'const f = (fetch) => fetch(1);',
    'const f = ({ fetch, a: { process = 1 }, ...performance }, [console]) => [fetch, process, performance, console];',
    'const f = (...require) => require;',
    'import fetch, { process, one as console } from "./two.ts"; fetch(process, console);',
    'import * as crypto from "./two.ts"; crypto.one();',
    'f(); function f() { return process(); } function process() {}',
    'const f = () => later; const later = () => performance; const performance = 1;',
    'function f() { if (f) { var process = 1; } return () => process; }',
    'for (const process of [1]) process;',
    'for (let performance = 0; performance < 1; performance += 1);',
    'try { } catch (process) { process; }',
    'try { } catch ({ console }) { console; }',
    'switch (1) { case 1: { const fetch = 1; fetch; } }',
    'switch (1) { case 1: const fetch = 1; fetch; }',
    'const f = function process() { return process; };',
    'const f = class Worker { one = Worker; };',
    'class Worker {} new Worker();',
    'class One { static { var process = 1; process; } }',
    'const one = { process: 1, fetch() {}, get console() { return 1; } }; one.process; one.fetch(); one?.console;',
    'class One { process = 1; fetch() { return this.process; } constructor(private performance = 1) { this.performance = performance; } }',
    'const { process: one, fetch: { console: two } } = { process: 1, fetch: { console: 2 } }; [one, two];',
    'process: for (;;) { continue process; }',
    'export { one as process } from "./two.ts"; export * as fetch from "./two.ts"; export type { One as console } from "./two.ts";',
    'interface One { process: NodeJS.Process; fetch: typeof fetch } type Two = typeof globalThis.process;',
    'type One = (process: string, fetch: Worker) => asserts process is string; class Two { [console: string]: Worker; }',
    'abstract class One { abstract fetch(process: Worker): Worker; one(console: Worker): void; one(process: Worker): Worker { return process; } }',
    'const one = 1 as unknown as Worker satisfies Worker; f<Worker>(one); function f<T extends Worker>(one: T): Worker; function f() {}',
    'declare global { var process: 1; } interface One {} export { One };',
    '(one) => one instanceof Date || one instanceof Function;',
    'new Date(0); Date.parse(""); Date.UTC(1); Math.max(1); AbortSignal.any([]); undefined; arguments;',
    '// require, process and fetch; import("../cli/main.ts")\n/* <reference path="../cli/main.ts" /> */ "fetch"; /process/;',
    '/** What fetch and process are; see @import and `import()`. */',
  ])('is not reported for %s', (text) => {
    expect(problemsIn('src/checks/one.ts', text)).toEqual([]);
  });

  test('in JSX uses the components that it names', () => {
    const use = (text: string) => problemsIn('src/checks/one.tsx', text);
    expect(use('const one = <Worker />;')).toEqual([expect.stringContaining('must not use Worker. ')]);
    expect(use('const one = <process.One></process.One>;')).toHaveLength(1);
    expect(use('const one = <a href={fetch} />;')).toEqual([expect.stringContaining('must not use fetch. ')]);
    expect(use('const Worker = 1; const one = <Worker><a process="1" /><process /></Worker>;')).toEqual([]);
  });

  test('is not allowed a way around as a member of an allowed name', () => {
    const parts = [{ name: 'a', folder: 'src/a', imports: [], globals: ['process', 'import.meta'], why: '' }];
    const using = (text: string) => problemsIn('src/a/one.ts', text, parts);
    expect(using('process.env; import.meta.url;')).toEqual([]);
    expect(using("process.binding('fs');")).toHaveLength(1);
    expect(using("import.meta.resolve('fs');")).toHaveLength(1);
  });

  test('that cannot be parsed is an error, not a file without imports', () => {
    expect(() => problemsIn('src/checks/one.ts', 'import {')).toThrow('src/checks/one.ts: ');
  });
});

test('an unused permission is reported', () => {
  const parts = [
    {
      name: 'a',
      folder: 'src/a',
      imports: ['b'],
      node: ['node:fs'],
      packages: ['yaml'],
      globals: ['process.env', 'require'],
      why: '',
    },
  ];
  const unused = (text: string) => unusedAllowances([['src/a/one.ts', text]], parts);
  expect(unused("import 'yaml'; import 'node:fs'; process.argv; require;")).toEqual([
    'scripts/borders.mjs:1:1: "a" may import b, which no file of it does\n  Remove it there.',
    'scripts/borders.mjs:1:1: "a" may use process.env, which no file of it does\n  Remove it there.',
  ]);
  expect(unused('')).toHaveLength(5);
});

describe('the parts', () => {
  const nameOf = (wanted: string): string => partsOf(wanted)[0]?.name ?? wanted;
  const imports = new Map(
    PARTS.map(({ name, imports, packages = [] }) => [
      name,
      [...imports.map(nameOf), ...packages.filter((one) => ENTRIES.includes(one)).map(entryPart)],
    ]),
  );

  /** The entries that a service imports by name are parts too. */
  function entryPart(specifier: string): string {
    return specifier === 'probity' ? 'library' : nameOf(`src/entries/${specifier.split('/')[1]}.ts`);
  }

  test.each(PARTS.map(({ name }) => name))('%s is not imported by its imports', (name) => {
    const seen = new Set<string>();
    const queue = [...(imports.get(name) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(...(imports.get(next) ?? []));
    }
    expect([...seen]).not.toContain(name);
  });

  test('of the directory import the harness only by its public names', () => {
    const parts = PARTS.filter(({ folder }) => folder.startsWith('directory/'));
    expect(parts.length).toBeGreaterThan(8);
    for (const { imports } of parts) for (const wanted of imports) expect(wanted).toMatch(/^directory(\/|$)/);
  });
});
