import { essenceOf, leavesOf, payloadOf } from '../../checks/execute/answer-essence.ts';
import { seemsMixedUp } from '../../checks/execute/created-apart.ts';
import { callAnswer, escaped } from '../../checks/execute/observed-function.ts';
import { isServed, kindOf } from '../../checks/json/answers.ts';
import { jsonBody } from '../../checks/json/json-body.ts';
import { canonicalJson } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import { type InstanceRun, instancesOf, type StepRun } from '../state/record.ts';

type Names = Pick<ReadonlySet<string>, 'has'>;

export interface SeenFunctions {
  /** Their descriptors say that they read, but their calls change something. */
  readonly used: Names;
  /** They answered a repeated call differently, or a value that is only read was different after it. */
  readonly changing: Names;
  /** They answered a repeated call the same, and no read value changed. */
  readonly steady: Names;
  /** They answered the same input the same and another input differently, and no read value changed. */
  readonly harmless: Names;
  /** The harmless ones whose answers differ by more than the echoed input. */
  readonly computing: Names;
  /** The harmless ones whose answers only repeat the input under its own names: they may have stored it. */
  readonly repeating: Names;
  /** They answered an input differently alone than together with others. */
  readonly varying: Names;
  /** One of two concurrent calls seemed to get data of the other. */
  readonly mixing: Names;
}

export const NOTHING_SEEN: SeenFunctions = {
  used: new Set(),
  changing: new Set(),
  steady: new Set(),
  harmless: new Set(),
  computing: new Set(),
  repeating: new Set(),
  varying: new Set(),
  mixing: new Set(),
};

/** For a plan, which sends nothing: assumes that all functions only read. */
export const ALL_HARMLESS: SeenFunctions = {
  ...NOTHING_SEEN,
  steady: { has: () => true },
  harmless: { has: () => true },
  computing: { has: () => true },
};

/**
 * What the first calls, and the rounds of experiments by their role, show: whether functions change something although
 * nothing says so. Pure.
 */
export function watchFunctions(
  called: StepRun | undefined,
  rounds: ReadonlyMap<string, StepRun>,
): Omit<SeenFunctions, 'used'> {
  const [before, again, other, after] = ['state-before', 'again', 'other', 'state-after'].map((role) =>
    answersIn(rounds.get(role)),
  ) as [Answers, Answers, Answers, Answers];
  // All functions are called first, and only a few are called again: the answers of the others may be large.
  const first = callsOf(called, again);
  const stateChanged = [...after].some(([name, [now]]) => {
    const texts = before.get(name) ?? [];
    // Values that differ by themselves prove nothing.
    return texts.length > 1 && new Set(texts).size === 1 && now !== undefined && now !== texts[0];
  });
  const names = [...again.keys()];
  // The first call may have run together with others, so only its status counts.
  const answersTheSame = (name: string): boolean => {
    const texts = again.get(name) ?? [];
    const [status] = texts[0]?.split(' ', 1) ?? [];
    const wasServedAlike = first.some(
      ({ functionName, exchanges }) =>
        functionName === name && exchanges.some((exchange) => statusText(exchange) === status),
    );
    return new Set(texts).size === 1 && wasServedAlike && !stateChanged;
  };
  const echoing = echoingFunctions(first);
  // A function that echoes its input and later repeats an earlier answer may have a cache; that is no change.
  const [sameInputs, otherInputs] = [inputsIn(rounds.get('again')), inputsIn(rounds.get('other'))];
  // "No such member" for another id does not show what the function does with one that it knows.
  const served = new Set(
    callsOf(rounds.get('other'), again)
      .filter(({ exchanges }) =>
        exchanges.every((exchange) => exchange.kind !== 'unanswered' && isServed(exchange)),
      )
      .map(({ functionName }) => functionName),
  );
  const followsInput = (name: string): boolean => {
    // Without another input, another answer comes from the time that passed.
    if (!served.has(name) || sameInputs.get(name) === otherInputs.get(name)) return false;
    const [text] = other.get(name) ?? [];
    return text !== undefined && (text !== again.get(name)?.[0] || echoing.has(name));
  };
  const harmless = names.filter((name) => answersTheSame(name) && followsInput(name));
  const [againAlone, otherAlone] = [withoutEchoes(rounds.get('again')), withoutEchoes(rounds.get('other'))];
  const more = moreThanRepeating([
    ...callsOf(rounds.get('again'), again),
    ...callsOf(rounds.get('other'), again),
  ]);
  return {
    changing: new Set(names.filter((name) => !answersTheSame(name))),
    steady: new Set(names.filter(answersTheSame)),
    harmless: new Set(harmless),
    computing: new Set(harmless.filter((name) => againAlone.get(name) !== otherAlone.get(name))),
    repeating: new Set(harmless.filter((name) => !more.has(name))),
    varying: varyingFunctions(rounds.get('together'), rounds.get('alone')),
    mixing: mixingFunctions(rounds.get('created-together')),
  };
}

function varyingFunctions(together: StepRun | undefined, alone: StepRun | undefined): ReadonlySet<string> {
  if (together?.kind !== 'ran' || alone?.kind !== 'ran') return new Set();
  const textsByCall = new Map<string, Set<string>>();
  for (const { call, functionName, exchanges } of [...together.instances, ...alone.instances]) {
    const key = JSON.stringify([functionName, canonicalJson(call?.input ?? null)]);
    const texts = textsByCall.get(key) ?? new Set();
    for (const exchange of exchanges) texts.add(essenceText(exchange));
    textsByCall.set(key, texts);
  }
  const varying = [...textsByCall].filter(([, texts]) => texts.size > 1);
  return new Set(varying.map(([key]) => (JSON.parse(key) as readonly [string])[0]));
}

function mixingFunctions(run: StepRun | undefined): ReadonlySet<string> {
  const answers = instancesOf(run).flatMap(({ call, exchanges }) =>
    exchanges.flatMap((exchange) => {
      if (exchange.kind === 'unanswered') return [];
      const { value } = jsonBody(exchange);
      return value === undefined ? [] : callAnswer({ call, exchange, value });
    }),
  );
  const created = answers.filter(({ payload }) => payload !== undefined);
  const mixed = created.filter((answer) =>
    seemsMixedUp(
      answer,
      created.filter(({ call }) => call.functionName === answer.call.functionName),
    ),
  );
  return new Set(mixed.map(({ call }) => call.functionName));
}

/** What each function answered, without the values of its input. */
function withoutEchoes(run: StepRun | undefined): ReadonlyMap<string, string> {
  return new Map(
    instancesOf(run).map(({ functionName, call, exchanges: [exchange] }): [string, string] => {
      const echoes = leavesOf(call?.input ?? null).map(({ value }) => String(value));
      const essence =
        exchange === undefined || exchange.kind === 'unanswered' ? undefined : essenceOf(exchange);
      const leaves = essence === undefined ? [] : leavesOf(essence);
      const status = exchange === undefined ? '' : statusText(exchange);
      const texts = leaves.map(({ pointer, value }) => [pointer, withoutTexts(String(value), echoes)]);
      return [functionName ?? '', JSON.stringify([status, ...texts])];
    }),
  );
}

/** Functions that answered something else than values of their input under the same names. */
function moreThanRepeating(instances: readonly InstanceRun[]): ReadonlySet<string> {
  const repeats = ({ call, exchanges }: InstanceRun): boolean => {
    const given = new Map(leavesOf(call?.input ?? null).map(({ pointer, value }) => [pointer, value]));
    return exchanges.every((exchange) => {
      if (exchange.kind === 'unanswered') return true;
      const leaves = leavesOf(payloadOf(exchange) ?? null);
      return leaves.every(({ pointer, value }) => given.get(pointer) === value);
    });
  };
  return new Set(instances.filter((one) => !repeats(one)).flatMap(({ functionName }) => functionName ?? []));
}

/** A short text is only an echo as a whole word: 2 is none in 12. */
function withoutTexts(text: string, echoes: readonly string[]): string {
  const short = new Set(echoes.filter(({ length }) => length < MIN_ECHO_CHARACTERS));
  const long = echoes.filter((echo) => !short.has(echo)).toSorted((one, other) => other.length - one.length);
  const words = text.split(/([^\p{L}\p{N}.-]+)/u).filter((word) => !short.has(word));
  return long.reduce((left, echo) => left.replaceAll(echo, ''), words.join(''));
}

const MIN_ECHO_CHARACTERS = 4;

/** Functions that echoed a text of their input. */
function echoingFunctions(instances: readonly InstanceRun[]): ReadonlySet<string> {
  const echoing = instances.filter(({ call, exchanges }) => {
    const texts = leavesOf(call?.input ?? null).map(({ value }) => value);
    return exchanges.some((exchange) => {
      const answer = essenceText(exchange);
      return texts.some(
        (text) =>
          typeof text === 'string' && text.length >= MIN_ECHO_CHARACTERS && answer.includes(escaped(text)),
      );
    });
  });
  return new Set(echoing.flatMap(({ functionName }) => functionName ?? []));
}

function inputsIn(run: StepRun | undefined): ReadonlyMap<string, string> {
  return new Map(
    instancesOf(run).map(({ functionName, call }) => [
      functionName ?? '',
      canonicalJson(call?.input ?? null),
    ]),
  );
}

type Answers = ReadonlyMap<string, readonly string[]>;

function answersIn(run: StepRun | undefined): Answers {
  const byFunction = new Map<string, string[]>();
  for (const { functionName, exchanges } of instancesOf(run)) {
    const texts = exchanges.map(essenceText);
    if (functionName !== null)
      byFunction.set(functionName, [...(byFunction.get(functionName) ?? []), ...texts]);
  }
  return byFunction;
}

function callsOf(run: StepRun | undefined, functions: Names): readonly InstanceRun[] {
  return instancesOf(run).filter(({ functionName }) => functionName !== null && functions.has(functionName));
}

function statusText(exchange: Exchange): string {
  return exchange.kind === 'unanswered' ? exchange.reason.code : kindOf(exchange);
}

function essenceText(exchange: Exchange): string {
  if (exchange.kind === 'unanswered') return statusText(exchange);
  const essence = essenceOf(exchange);
  return `${statusText(exchange)} ${essence === undefined ? '' : canonicalJson(essence)}`;
}
