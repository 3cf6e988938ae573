// Writes the style and the scripts of the HTML report and of an index of reports, and the style of the directory's pages, which starts with the
// report's, into modules, each with its hash for a Content Security Policy.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const FOLDER = 'src/report/html';
const style = styleIn(`${FOLDER}/report.css`);
const pageStyle = style + styleIn('directory/src/pages/pages.css');
const script = await scriptIn(`${FOLDER}/report-client.js`);
const indexScript = await scriptIn(`${FOLDER}/index-client.js`);
if (/<\/(script|style)/i.test(script + indexScript + pageStyle))
  throw new Error('an end tag would end the report’s own element');

writeAssets('src/generated', 'report', {
  style,
  styleHash: hashOf(style),
  script,
  scriptHash: hashOf(script),
  indexScript,
  indexScriptHash: hashOf(indexScript),
});
writeAssets('directory/src/generated', 'page', { style: pageStyle, styleHash: hashOf(pageStyle) });

async function scriptIn(file) {
  const { output } = await build({
    input: file,
    platform: 'browser',
    output: { format: 'iife', minify: true },
    write: false,
    logLevel: 'warn',
  });
  return output[0].code.trim();
}

function styleIn(file) {
  return readFileSync(file, 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(/\s*([{}:;,>])\s*/g, (_, mark) => mark)
    .replaceAll(';}', '}');
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function writeAssets(folder, name, assets) {
  mkdirSync(folder, { recursive: true });
  const types = Object.keys(assets).map((key) => `  readonly ${key}: string;\n`);
  writeFileSync(
    `${folder}/${name}-assets.ts`,
    `export const ${name}Assets: {\n${types.join('')}} = ${JSON.stringify(assets, null, 2)};\n`,
  );
}
