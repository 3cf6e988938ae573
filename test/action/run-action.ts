import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';

export const ROOT = path.resolve(import.meta.dirname, '../..');

interface Step {
  readonly name: string;
  readonly shell: string;
  readonly run: string;
  readonly id?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { description: string; required?: boolean; default?: string }>>;
  readonly outputs: Readonly<Record<string, { description: string; value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export const action = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8')) as Action;

export interface ActionRun {
  readonly code: number | null;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

export interface ActionOptions {
  /** The checked-out repository, in which every step is run. */
  readonly workspace?: string;
  /** Where the runner has put the action. */
  readonly actionPath?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the output of the running step so far, and a function that sends its entry process a signal. */
  readonly onOutput?: (log: string, kill: (signal: NodeJS.Signals) => void) => void;
}

export function emptyWorkspace(): string {
  return mkdtempSync(path.join(tmpdir(), 'probity-action-'));
}

/** Runs the steps of action.yml as GitHub’s runner runs a composite action, and fails on unknown syntax. */
export async function runAction(
  inputs: Readonly<Record<string, string>>,
  { workspace = emptyWorkspace(), actionPath = ROOT, env = {}, onOutput }: ActionOptions = {},
): Promise<ActionRun> {
  if (action.runs.using !== 'composite') throw new Error('this runner knows composite actions only');
  const files = mkdtempSync(path.join(tmpdir(), 'probity-runner-'));
  const contexts = new Map([['github.action_path', actionPath]]);
  for (const [name, { default: standard = '' }] of Object.entries(action.inputs))
    contexts.set(`inputs.${name}`, inputs[name] ?? standard);
  for (const name of Object.keys(inputs))
    if (!(name in action.inputs)) throw new Error(`the action has no input ${name}`);

  const reached = new Set<string | undefined>();
  let log = '';
  let summary = '';
  let code: number | null = 0;
  for (const [index, step] of action.runs.steps.entries()) {
    const script = path.join(files, `${index}.sh`);
    const outputFile = path.join(files, `${index}.output`);
    const summaryFile = path.join(files, `${index}.summary`);
    for (const file of [outputFile, summaryFile]) appendFileSync(file, '');
    writeFileSync(script, scriptOf(step));
    const given = Object.entries(step.env ?? {}).map(([name, text]) => [name, substituted(text, contexts)]);
    const finished = await runShell(script, {
      cwd: workspace,
      env: {
        ...inherited(),
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: workspace,
        GITHUB_ACTION_PATH: actionPath,
        GITHUB_OUTPUT: outputFile,
        GITHUB_STEP_SUMMARY: summaryFile,
        ...env,
        ...Object.fromEntries(given),
      },
      onOutput,
    });
    log += finished.log;
    summary += readFileSync(summaryFile, 'utf8');
    for (const [name, value] of outputsIn(readFileSync(outputFile, 'utf8')))
      contexts.set(`steps.${step.id}.outputs.${name}`, value);
    code = finished.code;
    reached.add(step.id);
    if (code !== 0) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => {
    const [, id] = /steps\.([\w-]+)\./.exec(value) ?? [];
    // A missing output of a completed step is a mistake, which the runner would not report.
    return [name, substituted(value, contexts, reached.has(id) ? undefined : '')];
  });
  return { code, log, summary, outputs: Object.fromEntries(outputs) };
}

function scriptOf({ name, shell, run, id: _id, env: _env, ...unknown }: Step): string {
  if (shell !== 'bash') throw new Error(`${name}: this runner knows bash only`);
  if (Object.keys(unknown).length > 0)
    throw new Error(`${name}: this runner does not know ${Object.keys(unknown)}`);
  // The shell would interpret the value of an expression.
  if (run.includes('${{')) throw new Error(`${name}: its script contains an expression`);
  return run;
}

/** Other expressions fail the test, and so does an expression without a value. */
function substituted(text: string, contexts: ReadonlyMap<string, string>, missing?: string): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, name: string) => {
    const value = contexts.get(name) ?? missing;
    if (value === undefined) throw new Error(`nothing is known as ${name}`);
    return value;
  });
}

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(GITHUB_|RUNNER_|INPUT_|PROBITY_|FORCE_COLOR)/.test(name),
    ),
  );
}

/** `name=value`, or `name<<delimiter` with lines up to the delimiter: the only forms that the runner accepts. */
function outputsIn(text: string): readonly (readonly [name: string, value: string])[] {
  const found: [string, string][] = [];
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (line === '') continue;
    const [, name = '', sign, rest = ''] = /^([^=<]+)(=|<<)(.*)$/.exec(line) ?? [];
    if (sign === undefined) throw new Error(`the runner refuses the output ${line}`);
    const end = sign === '=' ? -1 : lines.indexOf(rest);
    if (sign === '<<' && end === -1) throw new Error(`the delimiter of the output ${name} never comes`);
    found.push([
      name,
      sign === '='
        ? rest
        : lines
            .splice(0, end + 1)
            .slice(0, -1)
            .join('\n'),
    ]);
  }
  return found;
}

function runShell(
  script: string,
  { onOutput, ...options }: { cwd: string; env: NodeJS.ProcessEnv; onOutput: ActionOptions['onOutput'] },
): Promise<{ code: number | null; log: string }> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      onOutput?.(log, (signal) => child.kill(signal));
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, log }));
  });
}
