import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** Debian's Chromium, which looks for nothing on the network by itself. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`${CHROMIUM} is missing: apt-get install chromium, as .ci/run does.`);
  return chromium.launch({
    timeout: 120_000,
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers give it little shared memory, and it ends without a word.
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
