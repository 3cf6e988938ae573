import type { Intended, Unmade } from '../../../inputs/explore/call-sequences.ts';
import { learnedInputs, producersOf } from '../../../inputs/learned-inputs.ts';
import { type JsonObject, jsonPointer, jsonTypeOf } from '../../../json/json.ts';
import type { ValueOfCall } from '../../../model/call.ts';
import { identifies } from '../../../text/words.ts';
import type { RunInput } from '../../state/run-input.ts';
import type { Made, Next, SequencePlayer, Subject } from '../play-sequence.ts';

/** Chooses what each call of a plan takes from those before it, while the sequence is made. */
export function intended(
  plan: readonly Intended[],
  player: SequencePlayer,
  input: Pick<RunInput, 'settings' | 'schemas'>,
): Next {
  return (made) => {
    const one = plan[made.length];
    const subject = one === undefined ? undefined : player.subjects.get(one.name);
    if (one === undefined || subject === undefined) return null;
    const earlier = made.findLastIndex(({ call }) => call.functionName === one.name);
    if (one.input === 'repeated' && earlier >= 0) return repeated(made, earlier);
    const edge = subject.edges[one.choice % Math.max(1, subject.edges.length)];
    const base = one.input === 'edge' ? (edge ?? subject.proven) : subject.proven;
    const call = { functionName: one.name, input: base, isFresh: one.input !== 'edge' };
    const links = valuesFor(one, subject, base, made, input);
    const from = one.input === 'same' ? { ...sameValues(base, links, made, one.choice), ...links } : links;
    const linked: Unmade = { ...call, from };
    return player.inputOf(linked, subject, made, 'tried') === null ? { ...call, from: {} } : linked;
  };
}

function valuesFor(
  { name, choice }: Intended,
  { descriptor }: Subject,
  base: JsonObject,
  made: readonly Made[],
  { settings: { producers = {} }, schemas }: Pick<RunInput, 'settings' | 'schemas'>,
): Unmade['from'] {
  const byFunction = new Map<string, number>();
  // Of several calls of a function, any may be the one whose values are used.
  for (const [index, { call, observed }] of made.entries())
    if (observed !== null && (!byFunction.has(call.functionName) || (choice >> index) % 2 === 0))
      byFunction.set(call.functionName, index);
  const observed = [...byFunction.values()].flatMap((index) => made[index]?.observed ?? []);
  const consumer = { descriptor, refused: base, onlyOwn: false, producers: producersOf(name, producers) };
  const [candidate] = learnedInputs(consumer, observed, schemas);
  const used = new Set<string>();
  const links = (candidate?.learned ?? []).map(({ parameter, from, place, pointer }) => {
    const value = `${from} ${place} ${pointer}`;
    // Two parameters may need two things, or be meant for one.
    const another = used.has(value) && choice % 2 === 1 ? otherCallOf(from, byFunction.get(from), made) : -1;
    used.add(value);
    return [
      parameter,
      { call: another >= 0 ? another : (byFunction.get(from) ?? 0), place, pointer },
    ] as const;
  });
  // Other values of an earlier input, such as a title, need not be the same.
  const identifying = links.filter(([parameter, { place }]) => place === 'answer' || identifies(parameter));
  return Object.fromEntries(identifying.length > 0 ? identifying : links);
}

/** With the input of an earlier call of the function. */
function repeated(made: readonly Made[], earlier: number): Unmade | null {
  const before = made[earlier];
  if (before === undefined) return null;
  const names = Object.keys(before.input);
  const from = names.map((name): [string, ValueOfCall] => [
    name,
    { call: earlier, place: 'input', pointer: jsonPointer([name]) },
  ]);
  return { ...before.call, from: Object.fromEntries(from) };
}

/** For each text and number of the input, one that an earlier call sent: of the same name, or else any. */
function sameValues(
  base: JsonObject,
  links: Unmade['from'],
  made: readonly Made[],
  choice: number,
): Unmade['from'] {
  const sent = made.flatMap(({ input }, call) =>
    Object.entries(input).map(([name, value]) => ({ call, name, type: jsonTypeOf(value) })),
  );
  const from = Object.entries(base).flatMap(([parameter, value]) => {
    const type = jsonTypeOf(value);
    if (Object.hasOwn(links, parameter) || (type !== 'string' && type !== 'number')) return [];
    const alike = sent.filter((one) => one.type === type);
    const named = alike.filter(({ name }) => name === parameter);
    const candidates = named.length > 0 ? named : alike;
    const chosen = candidates[choice % Math.max(1, candidates.length)];
    if (chosen === undefined) return [];
    return [[parameter, { call: chosen.call, place: 'input', pointer: jsonPointer([chosen.name]) }] as const];
  });
  return Object.fromEntries(from);
}

function otherCallOf(functionName: string, call: number | undefined, made: readonly Made[]): number {
  return made.findLastIndex((one, index) => one.call.functionName === functionName && index !== call);
}
