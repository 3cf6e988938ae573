// Writes reports/examples/: real results of the reference servers and of a broken one, in every format. Run it after a
// change of the suites, the judgement or a format: `npm run examples`. With --render, it only renders the formats
// again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import {
  checkServer,
  FORMAT_NAMES,
  judgeReport,
  readReport,
  renderFormat,
  serialiseReport,
  startReferenceServer,
} from '../dist/index.js';

const FOLDER = 'reports/examples';
const SAMPLES = {
  divide: [{ input: { dividend: 10, divisor: 4 } }, { input: { dividend: 1, divisor: 0 }, fails: true }],
};

const makers = {
  'reference-a': async () => ofReference('A'),
  'reference-b': async () => ofReference('B'),
  broken: ofBroken,
};

mkdirSync(FOLDER, { recursive: true });
const rendering = process.argv.includes('--render');
for (const [name, make] of Object.entries(makers)) {
  const file = `${FOLDER}/${name}.json`;
  const result = rendering ? await judgeReport(await readReport(file)) : await make();
  writeFileSync(file, serialiseReport(result));
  // One archive of exchanges shows the format, and each is large.
  for (const format of FORMAT_NAMES.filter((format) => format !== 'har' || name === 'broken')) {
    for (const { suffix, text } of await renderFormat(result, format)) {
      if (suffix !== '.json') writeFileSync(`${FOLDER}/${name}${suffix}`, text);
    }
  }
  console.log(
    `${name}: ${result.verdict}, ${result.summary.passed} passed, ${result.findings.length} findings`,
  );
}

await takePicture(`${FOLDER}/broken.html`, `${FOLDER}/broken.png`);

/** For the README. */
async function takePicture(page, picture) {
  const file = 'coverage/browser.mjs';
  await build({ input: 'test/set-up/browser.ts', platform: 'node', external: /^[^./]/, output: { file } });
  const { startBrowser } = await import(pathToFileURL(path.resolve(file)).href);
  const browser = await startBrowser();
  const tab = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  await tab.goto(pathToFileURL(path.resolve(page)).href);
  await tab.screenshot({ path: picture });
  await browser.close();
}

async function ofReference(form) {
  const server = await startReferenceServer({ form });
  try {
    return await checkServer(server.url, { samples: SAMPLES, seed: 1 });
  } finally {
    await server.close();
  }
}

async function ofBroken() {
  const child = spawn(process.execPath, ['examples/broken-server.mjs'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    return withoutPaths(await checkServer(url, { seed: 1 }));
  } finally {
    child.kill();
  }
}

/** The broken server's stack traces contain the path of its folder. */
function withoutPaths(result) {
  const here = pathToFileURL(process.cwd()).href;
  return JSON.parse(JSON.stringify(result).replaceAll(here, 'file:///srv/weather'));
}
