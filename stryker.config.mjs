// Mutation testing of what a hostile target meets first, and of what decides: `npm run stryker` takes half an hour.
// Each mutant runs the properties again.
process.env.PROBITY_PROPERTY_RUNS ??= '150';

export default {
  packageManager: 'npm',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.stryker.config.ts' },
  mutate: [
    'src/probe/address-guard.ts',
    'src/probe/public-lookup.ts',
    'src/probe/redactor.ts',
    'src/probe/secret-spellings.ts',
    'src/checks/json/json-body.ts',
    'src/json/json-scanner.ts',
    'src/judge/judge-exchange.ts',
    'src/judge/judge-run.ts',
    'src/judge/step-context.ts',
    'src/judge/run-summary.ts',
    'src/judge/judge-answer.ts',
    'src/judge/judge-step.ts',
  ],
  // The tests need no tsconfig.json, and Stryker would read it with an interface that TypeScript 7 no longer has.
  tsconfigFile: 'none',
  ignorePatterns: ['dist', 'reports', 'coverage', 'docs', 'examples'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 10_000,
  tempDirName: 'coverage/stryker-tmp',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  jsonReporter: { fileName: 'coverage/mutation.json' },
  allowEmpty: false,
};
