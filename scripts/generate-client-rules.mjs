// Writes the rules about what clients and models see (suites/portability, suites/texts), one file for each client or
// subject, into a module for each folder, so that checks read them without files. A mistake in a file ends the build.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { isBeyondPlain, wordsOfPattern } from './words-of-pattern.mjs';

/** Only tests read the examples. */
const withoutExamples = ({ profile: _version, rules, ...rest }) => ({
  ...rest,
  rules: rules.map(({ examples: _, pass: _pass, fail: _fail, ...rule }) => rule),
});

/** Rules of texts, with what their patterns need. */
const withNeeds = ({ rules, ...rest }) => ({
  ...rest,
  rules: rules.map((rule) => ({ ...rule, ...(rule.pattern && needsOf(rule.pattern)) })),
});

function needsOf(pattern) {
  const words = wordsOfPattern(pattern);
  return { words, ...(isBeyondPlain(pattern) && { isBeyondPlain: true }) };
}

const FOLDERS = {
  portability: { exported: 'PROFILES', type: 'Profile', from: '../model/profile.ts' },
  texts: { exported: 'TEXT_SUBJECTS', type: 'TextSubject', from: '../model/text-rule.ts' },
};

mkdirSync('src/generated', { recursive: true });
for (const [folder, { exported, type, from }] of Object.entries(FOLDERS)) {
  if (!existsSync(`suites/${folder}`)) continue;
  const schema = JSON.parse(readFileSync(`schemas/${folder}.schema.json`, 'utf8'));
  const validate = new Ajv2020.default({ strict: true, allowUnionTypes: true }).compile(schema);
  const values = readdirSync(`suites/${folder}`)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .toSorted()
    .map((name) => {
      const value = parse(readFileSync(`suites/${folder}/${name}.yaml`, 'utf8'));
      if (validate(value))
        return folder === 'texts' ? withNeeds(withoutExamples(value)) : withoutExamples(value);
      const [error] = validate.errors;
      throw new Error(`suites/${folder}/${name}.yaml: ${error.instancePath || 'the file'} ${error.message}`);
    });
  writeFileSync(
    `src/generated/${folder}.ts`,
    `import type { ${type} } from '${from}';

export const ${exported}: readonly ${type}[] = ${JSON.stringify(values)};
`,
  );
}
