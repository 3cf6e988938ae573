// Lists the checks and the report formats that their folders hold: to add one is to add its file.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const checks = filesIn('src/checks').flatMap((file) => {
  const [, sees, checkName] = /defineCheck\(\s*'([\w-]+)',\s*'([\w-]+)'/.exec(file.source) ?? [];
  if (sees === undefined) return [];
  if (checkName !== file.name)
    fail(file, `The check is named "${checkName}". Name the file ${checkName}.ts, or rename the check.`);
  return [{ ...file, exported: exportedBy(file, /export const (\w+) = defineCheck\(/) }];
});
requireDistinct(checks);
write(
  'checks',
  `import type { Check } from '../../checks/define-check.ts';
${checks.map(({ exported, from }) => `import { ${exported} } from '${from}';`).join('\n')}

/** Every check, by the name that suites use. */
export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
${checks.map(({ name, exported }) => `  ['${name}', ${exported}],`).join('\n')}
]);
`,
);

const formats = filesIn('src/report/formats').flatMap((file) =>
  /export function render\w+\(result: TestResult\)/.test(file.source)
    ? [{ ...file, exported: exportedBy(file, /export function (render\w+)\(result: TestResult\)/) }]
    : [],
);
write(
  'formats',
  `/** Every format by its name; each is loaded when it is asked for. */
export const FORMATS = {
${formats.map(({ name, from, exported }) => `  ${name}: async () => (await import('${from}')).${exported},`).join('\n')}
} as const;
`,
);

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .map((file) => ({
      file,
      name: path.basename(file).replace(/\.tsx?$/, ''),
      from: path.posix.relative('src/generated/any', file),
      source: readFileSync(file, 'utf8'),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function exportedBy(file, pattern) {
  return pattern.exec(file.source)?.[1] ?? fail(file, `It exports nothing that matches ${pattern}.`);
}

function requireDistinct(all) {
  const seen = new Map();
  for (const one of all) {
    const other = seen.get(one.name);
    if (other !== undefined) fail(one, `${other.file} has the same name. Rename one of the two.`);
    seen.set(one.name, one);
  }
}

function write(name, source) {
  mkdirSync(`src/generated/${name}`, { recursive: true });
  writeFileSync(`src/generated/${name}/registry.ts`, source);
}

function fail({ file }, message) {
  console.error(`${file}: ${message}`);
  process.exit(1);
}
