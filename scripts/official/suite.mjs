import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { install, nodeFolder, nodePackage } from '../npm-node.mjs';

const VERSION = '0.2.0-alpha.12';
export const REVISIONS = ['2025-11-25', '2026-07-28'];

/** The suite needs a later Node than Probity. */
const NODE = '22';

/**
 * Installs the suite from npm, unless it is there already. The result runs it, and reads which scenarios count for a
 * revision.
 */
export function officialSuite() {
  const folder = path.resolve('node_modules/.cache/probity', `mcp-conformance-${VERSION}`);
  const root = path.join(folder, 'node_modules/@modelcontextprotocol/conformance');
  if (!existsSync(root)) install(folder, `@modelcontextprotocol/conformance@${VERSION}`);
  const isLateEnough = Number(process.versions.node.split('.')[0]) >= Number(NODE);
  if (!isLateEnough && nodePackage === undefined) throw new Error(`Run this with Node ${NODE} or later.`);
  const node = isLateEnough ? process.execPath : path.join(nodeFolder(NODE), 'node');
  return {
    /** Of a `leg`, `server` or `client`: the scenarios, with the reason for those that are not scored. */
    scenarios: (revision, leg) => {
      const required = parse(readFileSync(path.join(root, 'requirements', `${revision}.yaml`), 'utf8'));
      const others = required.not_scored.filter((one) => one.leg === leg);
      return [
        ...required[leg].map((name) => ({ name, reason: null })),
        ...others.map(({ scenario, reason }) => ({ name: scenario, reason })),
      ];
    },
    /** The checks of each scenario, by its name. */
    run: async (revision, leg, parameters, environment = {}) => {
      const output = mkdtempSync(path.join(tmpdir(), 'probity-official-'));
      try {
        const flags = [leg, ...parameters, '--requirements', revision, '--output-dir', output];
        const child = spawn(node, [path.join(root, 'dist/index.js'), ...flags], {
          stdio: 'ignore',
          env: { ...process.env, ...environment },
        });
        await once(child, 'exit');
        return readResults(output, leg);
      } finally {
        rmSync(output, { recursive: true, force: true });
      }
    },
  };
}

/** Each scenario has a folder: LEG-SCENARIO-TIME, or SCENARIO-TIME. */
function readResults(output, leg) {
  const found = readdirSync(output, { recursive: true })
    .filter((file) => path.basename(file) === 'checks.json')
    .map((file) => {
      const name = path
        .dirname(file)
        .replace(new RegExp(`^${leg}-`), '')
        .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
      return [name, JSON.parse(readFileSync(path.join(output, file), 'utf8'))];
    });
  return new Map(found);
}

/** The checks of a scenario that failed, or that warn. */
export const failedIn = (checks, status = 'FAILURE') => checks.filter((check) => check.status === status);

export function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}
