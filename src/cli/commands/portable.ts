import path from 'node:path';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { lookOf, print, say } from '../../command-line/terminal.ts';
import { PROFILES } from '../../generated/portability.ts';
import { visible } from '../../json/visible.ts';
import type { Contract } from '../../model/contract.ts';
import type { Profile, ProfileId } from '../../model/profile.ts';
import { definitionsIn, problemsOf, SCHEMA_MEMBERS } from '../../portability/fit.ts';
import { rewritten } from '../../portability/rewrite.ts';
import { type FitOfAll, renderPortability } from '../../report/terminal/portability-matrix.ts';
import type { OnTargetFlags } from '../options/run-on-target.ts';
import type { CheckFlags } from '../options/settings.ts';
import { contractOfTarget } from '../options/target-contract.ts';
import { writeTextFile } from '../terminal/write-file.ts';

interface PortableFlags extends CheckFlags, OnTargetFlags {
  readonly profile?: readonly ProfileId[];
  readonly rewrite?: boolean;
  readonly output?: string;
}

/**
 * Prints which clients and providers accept the definitions of a server, or the definitions as they would need them. Of
 * the server, only the list of its functions is read.
 */
export async function portable(given: string | undefined, flags: PortableFlags): Promise<void> {
  if (flags.output !== undefined && flags.rewrite !== true)
    throw new UsageError('--output is where --rewrite writes. Add --rewrite, or remove --output.');
  const contract = await contractOfTarget(given, flags);
  if (contract === null) return;
  const profiles = PROFILES.filter(({ id }) => flags.profile?.includes(id) ?? true);
  if (flags.rewrite === true) return writeRewritten(contract, profiles, flags.output);
  const definitions = definitionsIn(contract);
  const fits = profiles.map((profile): FitOfAll => ({ profile, problems: problemsOf(definitions, profile) }));
  const names = contract.functions.map(({ name }) => name);
  await print([
    flags.json === true
      ? jsonOf(names, fits)
      : renderPortability({ names, fits, isDetailed: flags.profile !== undefined }, lookOf(process.stdout)),
  ]);
  // Without a name, the matrix is information.
  const isRefused = flags.profile !== undefined && fits.some(({ problems }) => problems.length > 0);
  process.exitCode = isRefused ? EXIT.fail : EXIT.pass;
}

function jsonOf(functions: readonly string[], fits: readonly FitOfAll[]): string {
  const profiles = fits.map(({ profile: { id, title, read }, problems }) => {
    const unfit = new Set(problems.map((one) => one.function));
    return {
      profile: id,
      title,
      read,
      portable: functions.filter((name) => !unfit.has(name)),
      problems: problems.map(({ rule, ...problem }) => ({
        ...problem,
        rule: rule.id,
        says: rule.says,
        why: rule.why,
        page: rule.page,
      })),
    };
  });
  return `${JSON.stringify({ functions, profiles }, null, 2)}\n`;
}

async function writeRewritten(
  contract: Contract,
  profiles: readonly Profile[],
  folder: string | undefined,
): Promise<void> {
  const made = profiles.map((profile) => ({ id: profile.id, text: rewrittenText(contract, profile) }));
  if (folder === undefined) return print([`[\n${made.map(({ text }) => text).join(',\n')}\n]\n`]);
  for (const { id, text } of made) {
    const file = path.join(folder, `${id}.json`);
    say(
      `written: ${visible(await writeTextFile(file, `${text}\n`, 'Choose another folder with --output.'))}`,
    );
  }
}

function rewrittenText({ wire, functions }: Contract, { id, title, read, ...profile }: Profile): string {
  const [input, output] = SCHEMA_MEMBERS[wire] ?? [];
  const made = functions.map((one) => {
    const { definition, lost, unfit } = rewritten(one, wire, { ...profile, id, title, read });
    const { input: inputSchema, output: outputSchema, more, ...said } = definition;
    const schemas = [
      [input, inputSchema],
      [output, outputSchema],
    ] as const;
    const given = schemas.flatMap(([member, schema]) =>
      member === undefined || schema === null ? [] : [[member, schema] as const],
    );
    return { definition: { ...said, ...Object.fromEntries(given), ...more }, lost, unfit };
  });
  return JSON.stringify({ profile: id, title, read, functions: made }, null, 2);
}
