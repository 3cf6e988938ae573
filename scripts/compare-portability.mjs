// Puts what published libraries do with a schema beside what the profiles say of it: `node scripts/compare-portability.mjs
// [REPORT…]`, with saved reports of checked servers for more definitions than those of suites/portability. Installs the
// libraries of the providers from npm into a temporary folder; no script of theirs is run, and nothing is sent. Prints, for
// each pair, how often both agree, and each kind of disagreement with an example.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Ajv from 'ajv';
import { build } from 'rolldown';
import { parse } from 'yaml';

const LIBRARIES = ['openai@6', '@anthropic-ai/sdk@1', '@ai-sdk/google@3', '@google/genai@2'];

const folder = mkdtempSync(path.join(tmpdir(), 'probity-compare-'));
try {
  await compareAll(await ownCode(), await libraries());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The profiles and what applies them, as the product has them. */
async function ownCode() {
  const entry = path.join(folder, 'own.ts');
  const src = path.resolve('src');
  writeFileSync(
    entry,
    `export { PROFILES } from '${src}/generated/portability.ts';
export { definitionsIn, problemsOf } from '${src}/portability/fit.ts';
export { rewritten } from '${src}/portability/rewrite.ts';
export { contractIn } from '${src}/contract/read-contract.ts';
`,
  );
  const file = path.join(folder, 'own.mjs');
  await build({ input: entry, platform: 'node', output: { file, format: 'esm' } });
  return import(pathToFileURL(file));
}

async function libraries() {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...LIBRARIES],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`npm cannot install ${LIBRARIES.join(', ')}:\n${stderr}`);
  const load = (file) => import(pathToFileURL(path.join(folder, 'node_modules', file)));
  const [openai, anthropic, google, genai] = await Promise.all([
    load('openai/lib/transform.mjs'),
    load('@anthropic-ai/sdk/lib/transform-json-schema.mjs'),
    load('@ai-sdk/google/dist/index.mjs'),
    load('@google/genai/dist/node/index.mjs'),
  ]);
  return { openai, anthropic, google, genai };
}

async function compareAll(own, { openai, anthropic, google, genai }) {
  const schemas = [...examples(), ...ofReports(own)];
  console.log(`${schemas.length} schemas`);
  const unchanged = (transform) => async (schema) => {
    const made = transform(structuredClone(schema));
    return same(made, schema) ? 'accepted' : 'changed';
  };
  // A library that changes a schema, or refuses it, says that the provider would not accept it as it is.
  await compare(
    own,
    'openai-strict',
    'openai: toStrictJsonSchema',
    schemas,
    unchanged(openai.toStrictJsonSchema),
  );
  await compare(
    own,
    'anthropic-strict',
    '@anthropic-ai/sdk: transformJSONSchema',
    schemas,
    unchanged(anthropic.transformJSONSchema),
  );
  const sent = (schema) => parametersSent(google, schema);
  await compare(own, 'gemini-openapi', '@ai-sdk/google: parameters', schemas, async (schema) =>
    same(await sent(schema), schema) ? 'accepted' : 'changed',
  );
  await compare(own, 'draft-07', 'ajv: strict draft-07', schemas, async (schema) => {
    const ajv = new Ajv({
      strictSchema: true,
      strictTypes: false,
      strictTuples: false,
      validateFormats: false,
    });
    ajv.compile(schema);
    return 'accepted';
  });
  await madeByThem(own, 'gemini-openapi', '@ai-sdk/google', schemas, sent);
  await madeByThem(own, 'anthropic-strict', '@anthropic-ai/sdk', schemas, async (schema) =>
    anthropic.transformJSONSchema(structuredClone(schema)),
  );
  await madeByThem(own, 'openai-strict', 'openai', schemas, async (schema) =>
    openai.toStrictJsonSchema(structuredClone(schema)),
  );
  await madeByUs(
    own,
    'openai-strict',
    'openai: toStrictJsonSchema',
    schemas,
    unchanged(openai.toStrictJsonSchema),
  );
  await madeByUs(
    own,
    'anthropic-strict',
    '@anthropic-ai/sdk: transformJSONSchema',
    schemas,
    unchanged(anthropic.transformJSONSchema),
  );
  await asJsonSchema(genai, schemas);
}

function examples() {
  return readdirSync('suites/portability').flatMap((file) => {
    const { id, rules } = parse(readFileSync(`suites/portability/${file}`, 'utf8'));
    return rules.flatMap((rule) =>
      Object.entries(rule.examples).flatMap(([which, { input }]) =>
        input === undefined ? [] : [{ from: `${id}/${rule.id} ${which}`, schema: input }],
      ),
    );
  });
}

function ofReports({ contractIn }) {
  return process.argv.slice(2).flatMap((file) => {
    const { exchanges } = JSON.parse(readFileSync(file, 'utf8'));
    return (contractIn(exchanges)?.functions ?? []).flatMap(({ name, input }) =>
      input === null ? [] : [{ from: `${path.basename(file)} ${name}`, schema: input }],
    );
  });
}

function rulesBroken({ PROFILES, definitionsIn, problemsOf }, id, schema) {
  const profile = PROFILES.find((one) => one.id === id);
  const functions = [{ name: 'a', description: 'a', input: schema, output: null }];
  // Limits of all functions together say nothing of a schema.
  return problemsOf(definitionsIn({ wire: 'mcp', functions }), profile)
    .filter((problem) => problem.function !== null)
    .map(({ rule }) => rule.id);
}

async function compare(own, id, library, schemas, answerOf) {
  const kinds = new Map();
  let agreed = 0;
  for (const { from, schema } of schemas) {
    const broken = rulesBroken(own, id, schema);
    const theirs = await answerOf(schema).catch((error) => `refused: ${error.message.split('\n')[0]}`);
    if ((broken.length === 0) === (theirs === 'accepted')) agreed += 1;
    else
      add(
        kinds,
        broken.length === 0 ? `only they: ${worded(theirs)}` : `only we: ${broken.join(', ')}`,
        from,
      );
  }
  print(`${id} and ${library}: agree on ${agreed} of ${schemas.length}`, kinds);
}

/** What a library makes for a provider must be accepted by our profile of it. */
async function madeByThem(own, id, library, schemas, make) {
  const kinds = new Map();
  let [accepted, made] = [0, 0];
  for (const { from, schema } of schemas) {
    const result = await make(schema).catch(() => undefined);
    if (result === undefined) continue;
    made += 1;
    const broken = rulesBroken(own, id, result);
    if (broken.length === 0) accepted += 1;
    else add(kinds, `not accepted: ${broken.join(', ')}`, from);
  }
  print(`${id} accepts ${accepted} of ${made} schemas that ${library} makes`, kinds);
}

/** What we make for a provider must be accepted by its library as it is. */
async function madeByUs({ PROFILES, rewritten }, id, library, schemas, answerOf) {
  const profile = PROFILES.find((one) => one.id === id);
  const kinds = new Map();
  let [accepted, made] = [0, 0];
  for (const { from, schema } of schemas) {
    const { definition, unfit } = rewritten(
      { name: 'a', description: 'a', input: schema, output: null },
      'mcp',
      profile,
    );
    if (unfit.length > 0) continue;
    made += 1;
    const theirs = await answerOf(definition.input).catch(
      (error) => `refused: ${error.message.split('\n')[0]}`,
    );
    if (theirs === 'accepted') accepted += 1;
    else add(kinds, worded(theirs), from);
  }
  print(`${library} leaves ${accepted} of ${made} schemas as they are that we make for ${id}`, kinds);
}

/** Google's own library sends the schema of a tool of the protocol as it is. */
async function asJsonSchema(genai, schemas) {
  let unchanged = 0;
  for (const { schema } of schemas) {
    const client = { listTools: async () => ({ tools: [{ name: 'a', inputSchema: schema }] }) };
    const tool = genai.mcpToTool(client);
    const { functionDeclarations = [] } = await tool.tool();
    if (same(functionDeclarations[0]?.parametersJsonSchema, schema)) unchanged += 1;
  }
  console.log(
    `\n@google/genai sends ${unchanged} of ${schemas.length} schemas as they are, in parametersJsonSchema`,
  );
}

/** What the library would send to the provider; it is sent nowhere. */
async function parametersSent({ createGoogleGenerativeAI }, schema) {
  let body;
  const stop = new Error('not sent');
  const google = createGoogleGenerativeAI({
    apiKey: 'none',
    fetch: async (_, request) => {
      body = JSON.parse(request.body);
      throw stop;
    },
  });
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }];
  const tools = [{ type: 'function', name: 'a', description: 'a', inputSchema: schema }];
  await google('gemini-2.5-flash')
    .doGenerate({ prompt, tools })
    .catch((error) => {
      if (body === undefined) throw error;
    });
  const [declaration] = body.tools?.[0]?.functionDeclarations ?? body.tools?.functionDeclarations ?? [];
  if (declaration === undefined) throw new Error('no declaration was sent');
  if (declaration.parametersJsonSchema !== undefined) throw new Error('sent as JSON Schema');
  return declaration.parameters;
}

function worded(answer) {
  return answer.replace(/`[^`]*\/[^`]*`|at `[^`]*`|at [^ ]*\/[^ ]*/g, '…').replace(/path=\S*/, 'path=…');
}

function add(kinds, kind, from) {
  kinds.set(kind, [...(kinds.get(kind) ?? []), from]);
}

function print(heading, kinds) {
  console.log(`\n${heading}`);
  for (const [kind, from] of [...kinds].toSorted(([, left], [, right]) => right.length - left.length))
    console.log(`  ${from.length} × ${kind}  (${from[0]}, ${from.at(-1)})`);
}

/**
 * Whether two schemas say the same: whatever the order of keys and of required names, and without what changes nothing,
 * such as an empty list of required names, or the type beside an enum.
 */
function same(left, right) {
  return JSON.stringify(plain(left)) === JSON.stringify(plain(right));
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const isNothing = (key) =>
    key === '$schema' ||
    (['required', 'properties'].includes(key) && Object.keys(value[key] ?? {}).length === 0) ||
    (key === 'type' && (value.enum !== undefined || value.const !== undefined));
  const keys = Object.keys(value).filter((key) => !isNothing(key));
  return Object.fromEntries(
    keys
      .toSorted()
      .map((key) => [
        key,
        key === 'required' && Array.isArray(value[key]) ? value[key].toSorted() : plain(value[key]),
      ]),
  );
}
