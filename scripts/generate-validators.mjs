// Compiles the product's own JSON Schemas ahead of time, so that no command pays for it when it starts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Ajv2020 from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';

const require = createRequire(import.meta.url);
const testResult = JSON.parse(readFileSync('schemas/test-result.schema.json', 'utf8'));
const ajv = new Ajv2020.default({
  code: { source: true, esm: true },
  strict: true,
  allowUnionTypes: true,
  validateFormats: false,
});
ajv.addSchema(testResult, 'test-result');

const code = standaloneCode.default(ajv, {
  validateSchema202012: 'https://json-schema.org/draft/2020-12/schema',
  validateTestResult: 'test-result',
});

const types = `import type { ErrorObject } from 'ajv';
interface Validator {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}
export declare const validateSchema202012: Validator;
export declare const validateTestResult: Validator;
`;

// ajv's output calls require for its helpers even as ESM.
const helpers = [...new Set([...code.matchAll(/require\("([^"]+)"\)(\.default)?/g)].map(([, id]) => id))];
let source = code;
const imports = helpers.map((id, index) => {
  source = source
    .replaceAll(`require("${id}").default`, `helper${index}`)
    .replaceAll(`require("${id}")`, `helper${index}`);
  const usesDefault = code.includes(`require("${id}").default`);
  return `import helperModule${index} from '${require.resolve(id) && `${id}.js`}';\nconst helper${index} = ${usesDefault ? `helperModule${index}.default ?? helperModule${index}` : `helperModule${index}`};`;
});

mkdirSync('src/generated', { recursive: true });
writeFileSync('src/generated/validators.js', `${imports.join('\n')}\n${source}`);
writeFileSync('src/generated/validators.d.ts', types);
