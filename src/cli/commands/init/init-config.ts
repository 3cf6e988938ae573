import type { LearnedFunction, LearnedTarget } from '../../../check/learn/learn-target.ts';
import type { Json } from '../../../json/json.ts';
import { visible } from '../../../json/visible.ts';
import type { YamlEntry, YamlSection } from '../../../suite/yaml/write-yaml.ts';

interface GivenFlags {
  readonly form: 'A' | 'B' | null;
  readonly bearerEnv: string | null;
  /** Names only: the values are never written to a file. */
  readonly headerNames: readonly string[];
  /** Of a server of the Model Context Protocol; null for another one. */
  readonly address: string | null;
}

/**
 * A configuration with a sample for every function, generated ones as comments, and an explanation of important keys.
 * Pure.
 */
export function configSections(target: LearnedTarget | null, given: GivenFlags): readonly YamlSection[] {
  return [
    {
      comment: [
        'yaml-language-server: $schema=./node_modules/probity/schemas/config.schema.json',
        ...(target === null
          ? ['How Probity checks a server; written by `probity init`.']
          : [
              `How Probity checks ${visible(given.address ?? target.targetUrl)}; written by \`probity init\`.`,
            ]),
        'docs/configuration.md of the package has every key. Command-line flags override this file.',
      ],
    },
    { comment: ['Version of the configuration.'], key: 'config', value: 'v1' },
    formSection(target, given),
    ...accessSections(given),
    ...samplesSections(target),
    producersSection(target),
    ...mutatingSections(target),
    {
      comment: [
        'Limits for timed calls. A limit that is not set keeps its default; 20x is twenty times the latency of /health.',
        'budgets:',
        '  health: { p95: 300ms }',
        '  "execute:NAME": { p50: 2s, p95: 20x }',
      ],
    },
    {
      comment: [
        'What the directory shows about the server: the measured median must not exceed responseTime, in milliseconds.',
        'listing: { transport: [http], responseTime: 800 }',
      ],
    },
    {
      comment: [
        'Requirements to leave out, the level from which a failed one fails the run, and how many functions must be exercised.',
        'skip: ["robustness/*"]',
        'failOn: should',
        'minCoverage: all',
      ],
    },
    { comment: ['Your own suites, relative to this file.', 'suites: [my.suite.yaml]'] },
    {
      comment: [
        'Limits: functions to call, spread evenly; the whole run; one request; the wait for a server that starts.',
        'maxFunctions: 50',
        'deadlineSeconds: 60',
        'timeoutSeconds: 10',
        'waitSeconds: 30',
      ],
    },
    { comment: ['true: send only GET /health and GET /capabilities.', 'readOnly: true'] },
  ];
}

function formSection(target: LearnedTarget | null, { form }: GivenFlags): YamlSection {
  const words = 'The wire form, A or B; by default it is detected for each operation.';
  if (form !== null) return { comment: [words], key: 'form', value: form };
  const seen =
    target === null || target.form === null ? '' : ` The descriptors currently have form ${target.form}.`;
  return { comment: [words + seen, `form: ${target?.form ?? 'B'}`] };
}

function accessSections({ bearerEnv, headerNames }: GivenFlags): readonly YamlSection[] {
  const comment = [
    'Sent with every request. Secrets stay in environment variables and never appear in a report.',
  ];
  const headerLines = [
    'headers:',
    ...(headerNames.length === 0 ? ['X-Tenant'] : headerNames).map(
      (name) => `  ${visible(name)}: { env: NAME_OF_A_VARIABLE }`,
    ),
  ];
  if (bearerEnv === null) return [{ comment: [...comment, 'bearerEnv: API_KEY', ...headerLines] }];
  return [{ comment, key: 'bearerEnv', value: bearerEnv }, { comment: headerLines }];
}

const SAMPLES_WORDS = [
  'Inputs for the functions, by name. They must be valid: a refusal is a failure of the server.',
  'Add `fails: true` to an input on which the function is expected to fail.',
];

/**
 * The server may refuse a generated input, so it is written as a comment. As a configured sample, a correct refusal
 * would be a failure; a check that generates the same input leaves it undecided.
 */
const OFFER_WORDS = [
  'Generated from the descriptors, so the server may refuse them. Set sensible values and remove the #.',
  'Until then Probity generates inputs, and a refusal of those decides nothing. Samples of functions that change',
  'something are commented out too: one run may use up what the next one needs.',
];

function samplesSections(target: LearnedTarget | null): readonly YamlSection[] {
  const functions = target?.functions ?? [];
  const entries = functions.flatMap((one) => (isOnlyOffered(one) ? [] : sampleEntries(one)));
  const offered = functions.flatMap((one) => (isOnlyOffered(one) ? sampleEntries(one) : []));
  const further = target?.furtherFunctions ?? 0;
  const without = functions.filter(({ sample }) => sample.kind === 'none');
  const sections: YamlSection[] = [];
  if (entries.length > 0) sections.push({ comment: SAMPLES_WORDS, key: 'samples', entries });
  if (offered.length > 0)
    sections.push({
      comment: entries.length === 0 ? [...SAMPLES_WORDS, ...OFFER_WORDS] : OFFER_WORDS,
      offered: { comment: [], key: 'samples', entries: offered },
      continues: entries.length > 0,
    });
  if (sections.length === 0)
    sections.push({ comment: [...SAMPLES_WORDS, 'samples:', '  NAME:', '    - input: { city: Paris }'] });
  if (without.length > 0) {
    const names = without.map(({ name }) => `  ${visible(name)}`);
    sections.push({ comment: ['No short sample could be generated for:', ...names] });
  }
  if (further > 0)
    sections.push({
      comment: [
        `The server lists ${further} more functions without a sample here: Probity uses their examples, or generates inputs.`,
      ],
    });
  return sections;
}

function isOnlyOffered({ sample, changesSomething }: LearnedFunction): boolean {
  return sample.kind === 'generated' || (changesSomething && sample.kind === 'example');
}

function sampleEntries({ name, sample }: LearnedFunction): readonly YamlEntry[] {
  if (sample.kind === 'none') return [];
  const comment = sample.kind === 'generated' ? [] : [SAMPLE_WORDS[sample.kind]];
  return [{ comment, key: name, value: [{ input: sample.input }] }];
}

const PRODUCERS_WORDS = [
  'Parameters whose values other functions return. Probity infers them from names; set those that it gets wrong.',
];

function producersSection(target: LearnedTarget | null): YamlSection {
  const entries = [...(target?.producers ?? [])].map(([key, producers]) => ({
    comment: [],
    key,
    value: producers as unknown as Json,
  }));
  if (entries.length === 0)
    return {
      comment: [...PRODUCERS_WORDS, 'producers:', '  getNote: { id: { from: createNote, at: "$.id" } }'],
    };
  const offered = { comment: [], key: 'producers', entries };
  return { comment: PRODUCERS_WORDS, offered, continues: false };
}

const SAMPLE_WORDS = {
  example: 'The server’s own example.',
  'none-needed': 'No input is required.',
} as const;

function mutatingSections(target: LearnedTarget | null): readonly YamlSection[] {
  const changing = (target?.functions ?? []).filter((one) => one.changesSomething).map(({ name }) => name);
  // In a list of names and globs, such a name would match other functions too.
  const named = changing.filter((name) => !name.includes('*'));
  const unnamed = changing.filter((name) => name.includes('*'));
  const comment = [
    'Functions that change something: `once` calls each up to ten times in a run and never times it, `never` does not call',
    'it, `allow` calls it like any other. Names and globs; the strictest one counts.',
  ];
  if (named.length === 0 && unnamed.length === 0)
    return [{ comment: [...comment, 'mutating: { once: [order-*], never: [delete-account] }'] }];
  const found = [
    ...comment,
    'The name or description of these functions suggests a change. Move those that change nothing to `allow`.',
    ...unnamed.map((name) => `Also this one, but its name would be read as a glob: ${visible(name)}`),
  ];
  if (named.length === 0) return [{ comment: found }];
  return [{ comment: found, key: 'mutating', value: { once: named } }];
}
