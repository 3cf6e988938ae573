// Puts the style and the script of the HTML report, and the style of the directory's pages, which begin with the report's,
// into modules: each with the hash by which a Content Security Policy knows it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const FOLDER = 'src/report/html';
const style = styleIn(`${FOLDER}/report.css`);
const pageStyle = style + styleIn('src/directory/pages/pages.css');
const { output } = await build({
  input: `${FOLDER}/report-client.js`,
  platform: 'browser',
  output: { format: 'iife', minify: true },
  write: false,
  logLevel: 'warn',
});
const script = output[0].code.trim();
if (/<\/(script|style)/i.test(script + pageStyle))
  throw new Error('an end tag would end the report’s own element');

mkdirSync('src/generated', { recursive: true });
writeAssets('report', { style, styleHash: hashOf(style), script, scriptHash: hashOf(script) });
writeAssets('page', { style: pageStyle, styleHash: hashOf(pageStyle) });

function styleIn(file) {
  return readFileSync(file, 'utf8')
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(/\s*([{}:;,>])\s*/g, (_, mark) => mark);
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function writeAssets(name, assets) {
  writeFileSync(
    `src/generated/${name}-assets.js`,
    `export const ${name}Assets = ${JSON.stringify(assets, null, 2)};\n`,
  );
  const types = Object.keys(assets).map((key) => `  readonly ${key}: string;\n`);
  writeFileSync(
    `src/generated/${name}-assets.d.ts`,
    `export declare const ${name}Assets: {\n${types.join('')}};\n`,
  );
}
