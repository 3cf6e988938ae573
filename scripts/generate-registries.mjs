// Lists the checks, the experiments and the report formats in their folders, so that adding one needs no list to edit.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const checks = filesIn('src/checks').flatMap((file) => {
  const defined = [
    ...file.source.matchAll(/export const (\w+) = defineCheck\(\s*'[\w-]+',\s*'([\w-]+)'/g),
  ].map(([, exported, name]) => ({ ...file, exported, name }));
  const [only] = defined;
  if (defined.length === 1 && only.name !== file.name)
    fail(file, `The check is named "${only.name}". Name the file ${only.name}.ts, or rename the check.`);
  return defined;
});
checks.sort((one, other) => (one.name < other.name ? -1 : 1));
requireDistinct(checks);
write(
  'src/generated/checks.ts',
  `import type { Check } from '../checks/define-check.ts';
${checks.map(({ exported, file }) => `import { ${exported} } from '../${file.slice('src/'.length)}';`).join('\n')}

/** Every check, by the name that suites use. */
export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
${checks.map(({ name, exported }) => `  ['${name}', ${exported}],`).join('\n')}
]);
`,
);

const experiments = filesIn('src/run/experiments')
  .filter(({ source }) => source.includes('= defineExperiment('))
  .map((file) => {
    const found = /export const (\w+) = defineExperiment\(\s*'([\w-]+)',\s*'([^']+)'/.exec(file.source);
    if (found === null)
      fail(file, "Give defineExperiment its name and its words as texts in single quotes: 'x', 'y'.");
    const [, exported, name, words] = found;
    return { ...file, exported, name, words };
  });
experiments.sort((one, other) => (one.name < other.name ? -1 : 1));
requireDistinct(experiments);
write(
  'src/model/generated/experiments.ts',
  `/** What each experiment calls, by the name that suites use. */
export const EXPERIMENT_WORDS = {
${experiments.map(({ name, words }) => `  '${name}': '${words}',`).join('\n')}
} as const;
export type ExperimentName = keyof typeof EXPERIMENT_WORDS;
export const EXPERIMENT_NAMES = Object.keys(EXPERIMENT_WORDS) as readonly ExperimentName[];
`,
);
write(
  'src/run/generated/experiments.ts',
  `import type { ExperimentName } from '../../model/generated/experiments.ts';
import type { ExperimentCode } from '../experiments/define-experiment.ts';
${experiments.map(({ exported, file }) => `import { ${exported} } from '../${file.slice('src/run/'.length)}';`).join('\n')}

export const EXPERIMENT_CODE: Readonly<Record<ExperimentName, ExperimentCode>> = {
${experiments.map(({ name, exported }) => `  '${name}': ${exported},`).join('\n')}
};
`,
);

const formats = filesIn('src/report/formats').flatMap((file) =>
  /export function render\w+\(result: TestResult\)/.test(file.source)
    ? [{ ...file, exported: exportedBy(file, /export function (render\w+)\(result: TestResult\)/) }]
    : [],
);
write(
  'src/check/generated/formats.ts',
  `/** Every format by its name; each is loaded on demand. */
export const FORMATS = {
${formats.map(({ name, file, exported }) => `  ${name}: async () => (await import('../../${file.slice('src/'.length)}')).${exported},`).join('\n')}
} as const;
`,
);

const suffixes = new Set(
  formats.flatMap(({ source }) => [...source.matchAll(/suffix: '([^']+)'/g)].map(([, suffix]) => suffix)),
);
// The report itself.
suffixes.delete('.json');
write(
  'src/report/generated/format-suffixes.ts',
  `/** What the formats write beside a report, and what is deleted with it. Other files are not ours. */
export const FORMAT_SUFFIXES: readonly string[] = ${JSON.stringify([...suffixes].toSorted())};
`,
);

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .map((file) => ({
      file,
      name: path.basename(file).replace(/\.tsx?$/, ''),
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

function write(file, source) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, source);
}

function fail({ file }, message) {
  console.error(`${file}: ${message}`);
  process.exit(1);
}
