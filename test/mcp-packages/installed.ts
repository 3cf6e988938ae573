import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PINNED = path.resolve(import.meta.dirname, 'pinned');

/** Starts a command without a network. */
export const WITHOUT_NETWORK = 'unshare --map-root-user --net --';

/** The folder of the installed packages, or why there is none, with the remedy. */
export type Installed =
  | { readonly folder: string; readonly missing: null }
  | { readonly folder: null; readonly missing: string };

/** Installs the pinned packages from npm into a temporary folder; none of their scripts is run. */
export function installPackages(): Installed {
  const missing = whyNoSeparation() ?? whyNoRegistry();
  if (missing !== null) return { folder: null, missing };
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-mcp-packages-'));
  cpSync(PINNED, folder, { recursive: true });
  // Not `npm ci`: it refuses the list, because some packages have no version for some other platforms.
  const { status, output } = npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  if (status === 0) return { folder, missing: null };
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`the packages of test/mcp-packages/pinned cannot be installed:\n${output}`);
}

/** Codes of npm for a registry that does not answer. A missing or changed package is none of them. */
const UNREACHABLE = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH'];

/** Asked with a single request: an installation would try each of hundreds of packages several times. */
function whyNoRegistry(): string | null {
  const { output } = npm(['view', '--fetch-retries=0', '--prefer-online', 'mcp-hello-world', 'name']);
  const code = UNREACHABLE.find((word) => output.includes(word));
  return code === undefined ? null : `npm cannot reach its registry (${code}): connect this machine to it`;
}

function npm(parameters: readonly string[], cwd = tmpdir()) {
  const { status, stdout, stderr } = spawnSync('npm', parameters, { cwd, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** With a network, calls that need it have other outcomes, and a server could send something somewhere. */
function whyNoSeparation(): string | null {
  const { status } = spawnSync(`${WITHOUT_NETWORK} true`, { shell: true });
  return status === 0
    ? null
    : 'no process can be started without a network: install unshare, on a Linux that allows user namespaces';
}
