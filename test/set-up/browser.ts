import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const PACKAGE = '@sparticuz/chromium';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Why no browser can be started here, with the remedy; null if one can. */
export function whyNoBrowser(): string | null {
  if (browserOfSystem() !== null || folderOfPackage() !== null) return null;
  return 'no browser: install Chrome or Chromium, or set CHROME_PATH (npm brings one for Linux on x64 only)';
}

/** The system's browser, else the one from npm, without its own network requests. */
export async function startBrowser(): Promise<Browser> {
  const ofSystem = browserOfSystem();
  const { executablePath, env } =
    ofSystem === null ? await browserOfPackage() : { executablePath: ofSystem, env: {} };
  return chromium.launch({
    timeout: 120_000,
    executablePath,
    env: { ...process.env, ...env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers have little shared memory, without which it ends silently.
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

function browserOfSystem(): string | null {
  const given = process.env.CHROME_PATH;
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given;
    throw new Error(`CHROME_PATH names ${given}, which is not there.`);
  }
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const candidates = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [...candidates, ...PLACES].find((file) => existsSync(file)) ?? null;
}

/** Its binaries are for one platform. */
function folderOfPackage(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  try {
    // Not via package.json, which the package does not export.
    const entry = createRequire(import.meta.url).resolve(PACKAGE);
    return path.resolve(path.dirname(entry), '../..');
  } catch {
    return null;
  }
}

interface UnpackedBrowser {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

async function browserOfPackage(): Promise<UnpackedBrowser> {
  const folder = folderOfPackage();
  if (folder === null) throw new Error(whyNoBrowser() ?? '');
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const caches = path.resolve('node_modules/.cache/probity');
  const unpacked = path.join(caches, `chromium-${version}`);
  if (!existsSync(unpacked)) await unpack(caches, unpacked);
  return {
    executablePath: path.join(unpacked, 'chromium'),
    env: {
      // Libraries and fonts that are missing on a machine without a desktop.
      LD_LIBRARY_PATH: [path.join(unpacked, 'al2023/lib'), process.env.LD_LIBRARY_PATH]
        .filter((value) => value !== undefined)
        .join(':'),
      FONTCONFIG_PATH: path.join(unpacked, 'fonts'),
    },
  };
}

/** Its own font list is for one hosting service; without any font, pages crash. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** Several processes may unpack it at once: each unpacks its own copy, and the first one is used. */
async function unpack(caches: string, unpacked: string): Promise<void> {
  mkdirSync(caches, { recursive: true });
  const own = mkdtempSync(`${unpacked}-`);
  try {
    const script = `import browser from '${PACKAGE}'; await browser.executablePath();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      // It unpacks into the temporary folder, and unpacks its libraries only if it detects such a host.
      env: { ...process.env, TMPDIR: own, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    });
    writeFileSync(path.join(own, 'fonts/fonts.conf'), FONTS);
    renameSync(own, unpacked);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(unpacked)) throw error;
  }
}
