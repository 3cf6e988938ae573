// Puts the style and the script of the HTML report into a module, each with the hash by which its Content Security Policy
// knows it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const FOLDER = 'src/report/html';
const style = readFileSync(`${FOLDER}/report.css`, 'utf8')
  .replaceAll(/\s*\n\s*/g, '')
  .replaceAll(/\s*([{}:;,>])\s*/g, (_, mark) => mark);
const { output } = await build({
  input: `${FOLDER}/report-client.js`,
  platform: 'browser',
  output: { format: 'iife', minify: true },
  write: false,
  logLevel: 'warn',
});
const script = output[0].code.trim();
if (/<\/(script|style)/i.test(script + style))
  throw new Error('an end tag would end the report’s own element');

const assets = { style, styleHash: hashOf(style), script, scriptHash: hashOf(script) };
mkdirSync('src/generated', { recursive: true });
writeFileSync(
  'src/generated/report-assets.js',
  `export const reportAssets = ${JSON.stringify(assets, null, 2)};\n`,
);
writeFileSync(
  'src/generated/report-assets.d.ts',
  `export declare const reportAssets: {
  readonly style: string;
  readonly styleHash: string;
  readonly script: string;
  readonly scriptHash: string;
};
`,
);

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
