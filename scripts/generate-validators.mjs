// Writes the options of a check into the schema of a test result. Compiles the product's JSON Schemas ahead of time, so that commands start faster, and writes those of the messages of
// the Model Context Protocol into a module, so that they can be read without files.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'rolldown';

const contract = JSON.parse(readFileSync('schemas/contract.schema.json', 'utf8'));
const testResult = await withStoredOptions('schemas/test-result.schema.json');
const ajv = new Ajv2020.default({
  code: { source: true, esm: true },
  strict: true,
  allowUnionTypes: true,
  validateFormats: false,
});
ajv.addSchema(testResult, 'test-result');
ajv.addSchema(contract, 'contract');

mkdirSync('src/generated', { recursive: true });
write('schema-2020-12', 'validateSchema202012', 'https://json-schema.org/draft/2020-12/schema');
write('test-result', 'validateTestResult', 'test-result');
write('contract', 'validateContract', 'contract');
writeMessageSchemas();

/** The schema in a file, in which the settings have the options of a check that are stored. */
async function withStoredOptions(file) {
  const { output } = await build({ input: 'scripts/stored-options.ts', platform: 'node', write: false });
  const { storedOptions } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  const text = readFileSync(file, 'utf8');
  const schema = JSON.parse(text);
  const { settings } = schema.properties;
  const required = new Set(settings.required);
  for (const { name, schema: own, isRequired } of storedOptions) {
    settings.properties[name] = own;
    if (isRequired) required.add(name);
  }
  settings.required = [...required].toSorted();
  const written = `${JSON.stringify(schema, null, 2)}\n`;
  if (written !== text) writeFileSync(file, written);
  return schema;
}

/** One module for each schema, so that a command loads only what it needs. */
function write(file, name, schemaId) {
  const code = standaloneCode.default(ajv, { [name]: schemaId });
  // ajv's output calls require for its helpers even as ESM.
  const helpers = [...new Set([...code.matchAll(/require\("([^"]+)"\)/g)].map(([, id]) => id))];
  let source = code;
  const imports = helpers.map((id, index) => {
    source = source
      .replaceAll(`require("${id}").default`, `(helper${index}.default ?? helper${index})`)
      .replaceAll(`require("${id}")`, `helper${index}`);
    return `import helper${index} from '${id}.js';`;
  });
  writeFileSync(`src/generated/${file}.js`, `${imports.join('\n')}\n${source}`);
  writeFileSync(
    `src/generated/${file}.d.ts`,
    `import type { ErrorObject } from 'ajv';

export declare const ${name}: {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
};
`,
  );
}

function writeMessageSchemas() {
  const suffix = '.schema.json';
  const revisions = readdirSync('schemas/mcp').map((file) => [
    file.slice(0, -suffix.length),
    JSON.parse(readFileSync(`schemas/mcp/${file}`, 'utf8')),
  ]);
  const schemas = JSON.stringify(Object.fromEntries(revisions));
  writeFileSync('src/generated/message-schemas.js', `export const messageSchemas = ${schemas};\n`);
  writeFileSync(
    'src/generated/message-schemas.d.ts',
    `import type { JsonObject } from '../model/json.ts';

/** The files of schemas/mcp, by revision. */
export declare const messageSchemas: JsonObject;
`,
  );
}
