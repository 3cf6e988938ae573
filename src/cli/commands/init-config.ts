import type { LearnedFunction, LearnedTarget } from '../../app/learn-target.ts';
import { visible } from '../../model/visible.ts';
import type { YamlEntry, YamlSection } from '../../suite/write-yaml.ts';

export interface GivenFlags {
  readonly form: 'A' | 'B' | null;
  readonly bearerEnv: string | null;
  /** Names only: what they carry stands in no file. */
  readonly headerNames: readonly string[];
}

/** A configuration with a sample for every function, those that were made up as comments, and a word on each key worth knowing. Pure. */
export function configSections(target: LearnedTarget | null, given: GivenFlags): readonly YamlSection[] {
  return [
    {
      comment: [
        'yaml-language-server: $schema=./node_modules/probity/schemas/config.schema.json',
        ...(target === null
          ? ['How Probity checks a server; made by `probity init`.']
          : [`How Probity checks ${visible(target.targetUrl)}; made by \`probity init\`.`]),
        'docs/configuration.md of the package has every key. Flags of the command line win over this file.',
      ],
    },
    { comment: ['Version of the configuration.'], key: 'config', value: 'v1' },
    formSection(target, given),
    ...accessSections(given),
    ...samplesSections(target),
    ...mutatingSections(target),
    {
      comment: [
        'What timed calls must keep to. What is left open keeps its default; 20x is twenty times what /health takes.',
        'budgets:',
        '  health: { p95: 300ms }',
        '  "execute:NAME": { p50: 2s, p95: 20x }',
      ],
    },
    {
      comment: [
        'What the directory shows of the server: the measured median is held to responseTime, in milliseconds.',
        'listing: { transport: [http], responseTime: 800 }',
      ],
    },
    {
      comment: [
        'Requirements to leave out, and the level from which a failed one fails the run. `probity explain` lists them.',
        'skip: ["robustness/*"]',
        'failOn: should',
      ],
    },
    { comment: ['Suites of your own, relative to this file.', 'suites: [my.suite.yaml]'] },
    {
      comment: [
        'Bounds: functions to call, chosen evenly; the whole run; one request; the wait for a server that starts.',
        'maxFunctions: 50',
        'deadlineSeconds: 60',
        'timeoutSeconds: 10',
        'waitSeconds: 30',
      ],
    },
    { comment: ['true: send nothing but GET /health and GET /capabilities.', 'readOnly: true'] },
  ];
}

function formSection(target: LearnedTarget | null, { form }: GivenFlags): YamlSection {
  const words = 'The wire form, A or B; when it is left out, it is detected for each operation.';
  if (form !== null) return { comment: [words], key: 'form', value: form };
  const seen =
    target === null || target.form === null ? '' : ` The descriptors are of form ${target.form} at present.`;
  return { comment: [words + seen, `form: ${target?.form ?? 'B'}`] };
}

function accessSections({ bearerEnv, headerNames }: GivenFlags): readonly YamlSection[] {
  const comment = [
    'What every request carries. Secrets stay in environment variables, and are kept out of every report.',
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
  'Inputs for the functions, by name. They are taken for valid: a refusal is then a failure of the server.',
  'An input on which the function is expected to fail gets `fails: true`.',
];

/**
 * Nobody knows whether the server takes what was made up, so it stands in comments: as a sample it would turn a sound
 * refusal into a failure, while a check that makes the same up by itself leaves it undecided.
 */
const OFFER_WORDS = [
  'Made up by rules from the descriptors, so nobody knows whether the server takes them. Put in values that make sense,',
  'and take the # away: until then Probity makes inputs up, and a refusal of those decides nothing. What changes something',
  'is among them: one run may use up what the next one needs.',
];

function samplesSections(target: LearnedTarget | null): readonly YamlSection[] {
  const functions = target?.functions ?? [];
  const entries = functions.flatMap((one) => (isOnlyOffered(one) ? [] : sampleEntries(one)));
  const offered = functions.flatMap((one) => (isOnlyOffered(one) ? sampleEntries(one) : []));
  const further = target?.furtherFunctions ?? 0;
  const without = functions.filter(({ sample }) => sample.kind === 'none');
  const known: readonly YamlSection[] =
    entries.length === 0 ? [] : [{ comment: SAMPLES_WORDS, key: 'samples', entries }];
  const offers: readonly YamlSection[] =
    offered.length === 0
      ? []
      : [
          {
            comment: entries.length === 0 ? [...SAMPLES_WORDS, ...OFFER_WORDS] : OFFER_WORDS,
            offered: { comment: [], key: 'samples', entries: offered },
            continues: entries.length > 0,
          },
        ];
  const notes: readonly YamlSection[] = [
    ...(without.length === 0
      ? []
      : [
          {
            comment: [
              'No sample could be made up that is short enough to read for:',
              ...without.map(({ name }) => `  ${visible(name)}`),
            ],
          },
        ]),
    ...(further === 0
      ? []
      : [
          {
            comment: [
              `The server lists ${further} further functions, which have no sample here: Probity uses their examples, or makes inputs up.`,
            ],
          },
        ]),
  ];
  if (known.length + offers.length > 0) return [...known, ...offers, ...notes];
  return [{ comment: [...SAMPLES_WORDS, 'samples:', '  NAME:', '    - input: { city: Paris }'] }, ...notes];
}

function isOnlyOffered({ sample, changesSomething }: LearnedFunction): boolean {
  return sample.kind === 'made-up' || (changesSomething && sample.kind === 'example');
}

function sampleEntries({ name, sample }: LearnedFunction): readonly YamlEntry[] {
  if (sample.kind === 'none') return [];
  const comment = sample.kind === 'made-up' ? [] : [SAMPLE_WORDS[sample.kind]];
  return [{ comment, key: name, value: [{ input: sample.input }] }];
}

const SAMPLE_WORDS = {
  example: 'The server’s own example.',
  'none-needed': 'Nothing is required.',
} as const;

function mutatingSections(target: LearnedTarget | null): readonly YamlSection[] {
  const changing = (target?.functions ?? []).filter((one) => one.changesSomething).map(({ name }) => name);
  // In a list of names and globs, such a name would stand for other functions as well.
  const named = changing.filter((name) => !name.includes('*'));
  const unnamed = changing.filter((name) => name.includes('*'));
  const comment = [
    'Functions that change something: `once` calls each at most ten times in a run and times none of them, `never` calls',
    'none, `allow` calls them like any other. Names and globs; the strictest one counts.',
  ];
  if (named.length === 0 && unnamed.length === 0)
    return [{ comment: [...comment, 'mutating: { once: [order-*], never: [delete-account] }'] }];
  const found = [
    ...comment,
    'These look, by name or description, as if they change something. Move those that do not to `allow`.',
    ...unnamed.map((name) => `This one does too, but its name would be read as a glob: ${visible(name)}`),
  ];
  if (named.length === 0) return [{ comment: found }];
  return [
    {
      comment: found,
      key: 'mutating',
      value: { once: named },
    },
  ];
}
