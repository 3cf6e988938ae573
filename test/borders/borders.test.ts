import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

interface Part {
  readonly name: string;
  readonly isFolder: boolean;
  /** One folder, or files. */
  readonly places: readonly string[];
  readonly imports: readonly string[];
  readonly node: readonly string[];
  readonly packages: readonly string[];
  readonly globals: readonly string[];
  readonly why: string;
}

interface Borders {
  readonly IMPURE_GLOBALS: readonly string[];
  readonly parts: () => readonly Part[];
  readonly checkBorders: (root: string, options: readonly string[], stdio: 'pipe') => { stdout: string };
}

const { IMPURE_GLOBALS, parts, checkBorders }: Borders = await import(
  new URL('../../scripts/check-borders.mjs', import.meta.url).href
);
const PARTS = parts();
const [harness, directory] = ['package.json', 'directory/package.json'].map((file) =>
  JSON.parse(readFileSync(file, 'utf8')),
);
const PACKAGES = Object.keys({ ...harness.devDependencies, ...directory.devDependencies });
const NODE_MODULES = builtinModules.filter((name) => !name.startsWith('_'));

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** The violations in some files, as `file:line`, with their messages. */
function violationsIn(files: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> {
  const root = mkdtempSync(path.join(tmpdir(), 'probity-borders-'));
  folders.push(root);
  for (const sources of ['src', 'directory/src']) mkdirSync(path.join(root, sources), { recursive: true });
  for (const [file, lines] of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), lines.join('\n'));
  }
  const { stdout } = checkBorders(root, ['--reporter=json', '--max-diagnostics=none'], 'pipe');
  const { diagnostics } = JSON.parse(stdout);
  return new Map(
    diagnostics.map(({ location, ...rest }: { location: { path: string; start: { line: number } } }) => [
      `${location.path}:${location.start.line}`,
      JSON.stringify(rest),
    ]),
  );
}

const fileOf = ({ isFolder, places }: Part, name = 'sample.ts'): string =>
  isFolder ? `${places[0]}/${name}` : (places[0] as string);
const pathTo = (from: string, target: string): string =>
  path.posix.relative(path.posix.dirname(from), target).replace(/^(?!\.)/, './');
const isAllowed = (part: Part, other: Part): boolean => other === part || part.imports.includes(other.name);

/** Every line crosses a border of the part. */
function refusedIn(part: Part, file: string): readonly string[] {
  const rootOf = (name: string): string => name.split(/[/.]/)[0] as string;
  const packages = new Set(
    part.packages.map((name) => (name.startsWith('@') ? name : (name.split('/')[0] as string))),
  );
  const others = PARTS.filter((other) => !isAllowed(part, other));
  const foreign = pathTo(file, fileOf(others[0] as Part));
  const uses = {
    'Date.now()': 'Date.now',
    'Math.random()': 'Math.random',
    'AbortSignal.timeout(1)': 'AbortSignal.timeout',
  };
  // A file of a folder may read the date if another file of it may.
  const readsDate = PARTS.some(
    (one) =>
      one.globals.includes('new Date()') &&
      (one === part || path.posix.dirname(fileOf(one)) === path.posix.dirname(file)),
  );
  return [
    ...others.map((other) => `import '${pathTo(file, fileOf(other))}';`),
    ...NODE_MODULES.filter((name) => !part.node.includes(name)).map((name) => `import 'node:${name}';`),
    ...PACKAGES.filter((name) => !packages.has(name)).map((name) => `import '${name}';`),
    ...[foreign, pathTo(file, 'test/x.ts'), 'fs', 'nowhere'].flatMap((name) => [
      `import { one } from '${name}';`,
      `import type { One } from '${name}';`,
      `import { type Two } from '${name}';`,
      `import * as all from '${name}';`,
      `export { three } from '${name}';`,
      `export type { Four } from '${name}';`,
      `export * from '${name}';`,
      `await import('${name}');`,
      `await import(\`${name}\`);`,
    ]),
    ...IMPURE_GLOBALS.filter((name) => !part.globals.some((one) => rootOf(one) === name)).map(
      (name) => `{ const one = ${name}; }`,
    ),
    ...Object.entries(uses).flatMap(([text, use]) => (part.globals.includes(use) ? [] : [`${text};`])),
    ...(readsDate ? [] : ['new Date();']),
    "(() => 1).constructor('return 1')();",
    "known.getBuiltinModule('node:fs');",
  ];
}

/** No line crosses a border of the part. */
function allowedIn(part: Part, file: string): readonly string[] {
  return [
    ...PARTS.filter((other) => isAllowed(part, other)).map(
      (other) => `import '${pathTo(file, fileOf(other))}';`,
    ),
    ...part.node.map((name) => `import 'node:${name}';`),
    ...part.packages.map((name) => `import '${name}';`),
    ...part.globals.map((name) => `{ const one = ${name}; }`),
    "const { process } = known; ((fetch) => fetch())(process); 'fetch'; known.fetch; new Date(1); Date.UTC(1); Math.max(1);",
  ];
}

describe.each(['sample.ts', 'one/two/sample.ts'])('each part, in %s', (name) => {
  const inFiles = PARTS.filter(({ isFolder }) => isFolder || name === 'sample.ts').map(
    (part) => [part, fileOf(part, name)] as const,
  );

  test('may use nothing that it does not name, and says why', () => {
    const refused = new Map(inFiles.map(([part, file]) => [file, refusedIn(part, file)]));
    const found = violationsIn(refused);
    const missed = [...refused].flatMap(([file, lines]) =>
      lines.filter((_, index) => !found.has(`${file}:${index + 1}`)).map((line) => `${file}: ${line}`),
    );
    expect(missed).toEqual([]);
    for (const [part, file] of inFiles)
      expect(found.get(`${file}:1`), file).toContain(JSON.stringify(part.why).slice(1, -1));
  });

  test('may use what it names', () => {
    expect([...violationsIn(new Map(inFiles.map(([part, file]) => [file, allowedIn(part, file)])))]).toEqual(
      [],
    );
  });
});

test('a folder that is in no part may use nothing', () => {
  const lines = ["import '../../model/one.ts';", "import 'node:fs';", 'process.exit();'];
  const found = violationsIn(
    new Map([
      ['src/one.ts', lines],
      ['src/new/one.ts', lines],
    ]),
  );
  expect([...found.keys()].sort()).toEqual(
    ['src/new/one.ts', 'src/one.ts'].flatMap((file) => [1, 2, 3].map((line) => `${file}:${line}`)),
  );
});

describe('the table', () => {
  /** The parts and the entries that a part imports, each entry by its part. */
  const imports = new Map(
    PARTS.map(({ name, imports, packages }) => [
      name,
      [
        ...imports,
        ...packages.flatMap((one) =>
          one === 'probity'
            ? ['library']
            : one === 'probity/model'
              ? ['entries/model']
              : /^probity\//.test(one)
                ? ['entries']
                : [],
        ),
      ],
    ]),
  );

  test('names only parts', () => {
    expect([...imports.values()].flat().filter((name) => !imports.has(name))).toEqual([]);
  });

  test('has no circle', () => {
    expect(PARTS.filter(({ name }) => reaches(name, imports)).map(({ name }) => name)).toEqual([]);
  });

  test('allows nothing that no file uses', () => {
    const used = new Map(PARTS.map(({ name }) => [name, new Set<string>()]));
    for (const file of ['src', 'directory/src'].flatMap(sourcesIn)) {
      const found = used.get(partOf(file)?.name ?? '');
      const text = readFileSync(file, 'utf8');
      for (const one of importsIn(text)) {
        const target = path.posix.join(path.posix.dirname(file), one);
        found?.add(one.startsWith('.') ? (partOf(target)?.name ?? '') : one.replace(/^node:/, ''));
      }
      // JSX imports its runtime by itself.
      if (file.endsWith('.tsx')) found?.add('preact');
    }
    const unused = PARTS.flatMap(({ name, imports, node, packages }) =>
      [...imports, ...node, ...packages]
        .filter((one) => ![...(used.get(name) ?? [])].some((use) => use === one || use.startsWith(`${one}/`)))
        .map((one) => `${name}: ${one}`),
    );
    expect(unused).toEqual([]);
  });

  test('lets the directory import the harness only by its public names', () => {
    const inner = PARTS.filter(({ places: [place] }) => place?.startsWith('directory/'));
    expect(inner.length).toBeGreaterThan(8);
    expect(inner.flatMap(({ imports }) => imports).filter((name) => !/^directory(\/|$)/.test(name))).toEqual(
      [],
    );
  });
});

test('the folders, too, import each other in no circle', () => {
  // A generated list names the files of many folders, and stands in a folder with what these use.
  const sources = ['src', 'directory/src'].flatMap(sourcesIn).filter((file) => !file.includes('/generated/'));
  expect(inCircles(new Map(sources.map((file) => [file, readFileSync(file, 'utf8')])))).toEqual([]);
  const both = ["import './two/two.ts';", "import type { One } from '../one.ts';"] as const;
  const round = new Map([
    ['src/one.ts', both[0]],
    ['src/two/two.ts', both[1]],
    ['src/three/three.ts', "import '../one.ts';"],
  ]);
  expect(inCircles(round)).toEqual(['src', 'src/two']);
});

/** The folders that import themselves through others. */
function inCircles(texts: ReadonlyMap<string, string>): readonly string[] {
  const folders = new Map<string, string[]>();
  for (const [file, text] of texts) {
    const folder = path.posix.dirname(file);
    const others = importsIn(text)
      .filter((one) => one.startsWith('.'))
      .map((one) => path.posix.join(folder, path.posix.dirname(one)))
      .filter((one) => one !== folder);
    folders.set(folder, [...(folders.get(folder) ?? []), ...others]);
  }
  return [...folders.keys()].filter((folder) => reaches(folder, folders)).toSorted();
}

/** Whether a name leads back to itself. */
function reaches(name: string, graph: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const queue = [...(graph.get(name) ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(...(graph.get(next) ?? []));
  }
  return seen.has(name);
}

function importsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport\(?) ?'([^']+)'/g)].map(([, one = '']) => one);
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[jt]sx?$/.test(file))
    .map((file) => `${folder}/${file.split(path.sep).join('/')}`);
}

/** The part that names a file, or the innermost folder around it. */
function partOf(file: string): Part | undefined {
  return (
    PARTS.find(({ isFolder, places }) => !isFolder && places.includes(file)) ??
    PARTS.findLast(({ isFolder, places: [place] }) => isFolder && file.startsWith(`${place}/`))
  );
}
