import { existsSync } from 'node:fs';
import path from 'node:path';
import { readAuthorities } from 'probity/command-line';
import { ExpectedError, visible } from 'probity/model';
import { examineFolder, examineMemory } from '../doctor/examine-machine.ts';
import { examineNetwork } from '../doctor/examine-network.ts';
import { examineStore } from '../doctor/examine-store.ts';
import { type Finding, problem } from '../doctor/finding.ts';
import { print } from './print.ts';
import { commandFor, completed, type StoreFlags, storeOf, withStore } from './store-flags.ts';

interface DoctorFlags extends StoreFlags {
  readonly network: boolean;
  readonly allowPrivate?: boolean;
  readonly ca?: string;
  readonly json?: boolean;
}

/** Examines the directory and this machine. Ends with 1 when there is a problem. */
export async function doctor(flags: DoctorFlags): Promise<void> {
  const found = [...(await examineAll(flags)), examineMemory()];
  const findings = found.map(({ remedy, ...finding }) => ({
    ...finding,
    remedy: remedy === null ? null : completed(remedy, flags),
  }));
  for (const finding of findings)
    await print(flags.json === true ? `${JSON.stringify(finding)}\n` : textOf(finding));
  if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1;
}

async function examineAll(flags: DoctorFlags): Promise<readonly Finding[]> {
  const { databaseUrl, dataFolder } = storeOf(flags);
  const command = (words: string): string => commandFor(words, flags);
  // Opening the store would create it.
  if (databaseUrl === null && !existsSync(path.join(dataFolder, 'database')))
    return [
      problem(
        'store',
        `there is no directory in ${dataFolder}`,
        `Name its folder with --data, or begin a new one: ${command('serve')}`,
      ),
    ];
  // Before the store is opened, which takes the lock.
  const folder = databaseUrl === null ? await examineFolder(dataFolder, command) : [];
  const outbound = {
    publicOnly: flags.allowPrivate !== true,
    ca: flags.ca === undefined ? null : await readAuthorities(flags.ca),
  };
  try {
    const inside = await withStore(flags, async (store) => [
      ...(await examineStore(store, command)),
      ...(flags.network ? await examineNetwork(store.db, outbound) : []),
    ]);
    return [...folder, ...inside];
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return [...folder, problem('store', 'it cannot be opened', error.message)];
  }
}

function textOf({ check, state, text, remedy }: Finding): string {
  const line = `${state.padEnd(7)}  ${check.padEnd(15)}  ${visible(text)}\n`;
  return remedy === null ? line : `${line}${' '.repeat(26)}${visible(remedy)}\n`;
}
