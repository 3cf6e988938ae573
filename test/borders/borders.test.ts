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
  readonly why: string;
}

type Texts = readonly (readonly [file: string, text: string])[];

interface Borders {
  readonly PARTS: readonly Part[];
  readonly partsOf: (file: string) => readonly Part[];
  readonly problemsIn: (file: string, text: string, parts?: readonly Part[]) => readonly string[];
  readonly unusedAllowances: (texts: Texts, parts?: readonly Part[]) => readonly string[];
  readonly sourceTexts: () => Texts;
}

const script = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const { PARTS, partsOf, problemsIn, sourceTexts, unusedAllowances }: Borders = {
  ...(await import(script('borders.mjs'))),
  ...(await import(script('check-borders.mjs'))),
};

const NODE_MODULES = builtinModules.map((name) => `node:${name}`);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const PACKAGES = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });

/** A file of a part; it need not exist. */
const fileOf = ({ folder, only }: Part, name = 'sample.ts'): string => `${folder}/${only?.[0] ?? name}`;
const pathTo = (from: Part, target: string): string => {
  const relative = path.posix.relative(path.posix.dirname(fileOf(from)), target);
  return relative.startsWith('.') ? relative : `./${relative}`;
};
const importing = (part: Part, specifier: string, file = fileOf(part)): readonly string[] =>
  problemsIn(file, `import { one } from '${specifier}';\n`);

/** How else a file can import. */
const FORMS: Readonly<Record<string, (specifier: string) => string>> = {
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
  require: (specifier) => `const one = require('${specifier}');`,
  'require.resolve': (specifier) => `const one = require.resolve('${specifier}');`,
};

describe('the sources', () => {
  const texts = sourceTexts();

  test('are each in exactly one part', () => {
    expect(texts.length).toBeGreaterThan(500);
    expect(texts.filter(([file]) => partsOf(file).length !== 1)).toEqual([]);
  });

  test('cross no border', () => {
    expect(texts.flatMap(([file, text]) => problemsIn(file, text))).toEqual([]);
  });

  test('use all that they are allowed', () => {
    expect(unusedAllowances(texts)).toEqual([]);
  });

  test('have every file that the table names', () => {
    const files = new Set(texts.map(([file]) => file));
    const named = PARTS.flatMap(({ folder, only = [] }) => only.map((name) => `${folder}/${name}`));
    expect(named.filter((file) => !files.has(file))).toEqual([]);
    expect(PARTS.filter((part) => ![...files].some((file) => partsOf(file).includes(part)))).toEqual([]);
  });
});

describe.each(PARTS)('$name', (part) => {
  const { name, imports, node = [], packages = [], why } = part;
  const allowed = (other: Part): boolean =>
    other.name === name || imports.includes(other.name) || imports.includes(fileOf(other));
  const forbiddenParts = PARTS.filter((other) => !allowed(other));
  const isPackageAllowed = (one: string) =>
    packages.some((known) => known.split('/')[0] === one.split('/')[0]);

  test('imports no part that it does not name', () => {
    expect(forbiddenParts.length).toBeGreaterThan(0);
    for (const other of forbiddenParts) {
      const found = importing(part, pathTo(part, fileOf(other)));
      expect(found, other.name).toHaveLength(1);
      expect(found[0]).toContain(
        `:1:21: ${name} must not import ${fileOf(other)}, which is in ${other.name}. `,
      );
      expect(found[0]).toContain(why);
      expect(found[0]).toContain('Take it as an argument or move the code.');
    }
  });

  test('imports no module of Node that it does not name, with or without the prefix', () => {
    for (const module of NODE_MODULES.filter((one) => !node.includes(one))) {
      expect(importing(part, module)).toEqual([expect.stringContaining(`must not import ${module}. ${why}`)]);
    }
    expect(importing(part, 'fs')).toEqual([expect.stringContaining('must not import the package fs. ')]);
  });

  test('imports no package that it does not name', () => {
    for (const one of PACKAGES.filter((known) => !isPackageAllowed(known))) {
      expect(importing(part, one)).toEqual([expect.stringContaining(`must not import the package ${one}. `)]);
      expect(importing(part, `${one}/deep.js`)).toHaveLength(1);
    }
  });

  test.each(Object.entries(FORMS))('nor by %s', (_, write) => {
    const [sibling] = forbiddenParts as [Part];
    for (const specifier of [pathTo(part, fileOf(sibling)), 'node:repl', 'nowhere', '../../test/x.ts'])
      expect(problemsIn(fileOf(part), write(specifier)), specifier).toEqual([
        expect.stringContaining(`${name} must not import `),
      ]);
  });

  test('imports what it names', () => {
    const own = PARTS.filter((other) => allowed(other)).map((other) => pathTo(part, fileOf(other)));
    for (const specifier of [...own, ...node, ...packages]) expect(importing(part, specifier)).toEqual([]);
  });

  test('is as strict in a folder below it', () => {
    const { folder, only } = part;
    if (only !== undefined) return;
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
    'that says %s is refused',
    (expression) => {
      expect(problemsIn('src/checks/one.ts', `const one = ${expression};`)).toHaveLength(1);
    },
  );

  test('that cannot be parsed is an error, not a file without imports', () => {
    expect(() => problemsIn('src/checks/one.ts', 'import {')).toThrow('src/checks/one.ts: ');
  });
});

test('an allowance that no file uses is reported', () => {
  const parts = [
    { name: 'a', folder: 'src/a', imports: ['b'], node: ['node:fs'], packages: ['yaml'], why: '' },
  ];
  const unused = (text: string) => unusedAllowances([['src/a/one.ts', text]], parts);
  expect(unused("import 'yaml'; import 'node:fs';")).toEqual([
    'scripts/borders.mjs:1:1: "a" may import b, which no file of it does\n  Remove it there.',
  ]);
  expect(unused('')).toHaveLength(3);
});
