import type { LearnedInput } from '../../inputs/learned-inputs.ts';
import type { Json } from '../../json/json.ts';
import type { RunSettings } from '../../model/report.ts';
import type { Step } from '../../model/suite.ts';
import type { Opened } from '../../model/wire.ts';
import type { Unchosen } from '../../pickers/define-picker.ts';
import { LISTED, listerOf } from '../steps/step-order.ts';
import { firstUnmet, type JudgeExchange, type Prerequisite } from './exchange-judge.ts';
import type { InstanceRun, KnownForm } from './record.ts';

export type Answered = Omit<InstanceRun, 'timed'>;

/** What later steps use from the answers so far. */
export interface Learned {
  readonly saved: ReadonlyMap<string, Json>;
  /** Names for which no value could be chosen, with the reason. */
  readonly unchosen: ReadonlyMap<string, Unchosen>;
  /** The form that the descriptors are in. */
  readonly form: KnownForm;
  /** Of a server of the Model Context Protocol, once a conversation is open. */
  readonly opened: Opened | null;
  /** The failed requirement that explains why a saved list is empty, if the answer shows it. */
  readonly emptyBecause: string | null;
  /** Inputs that functions accepted after they had refused a guess, by function name. */
  readonly inputs: ReadonlyMap<string, KnownInput>;
}

export interface KnownInput extends LearnedInput {
  /** Parameters that another value would be refused for. */
  readonly fixed: readonly string[];
}

export function nothingLearned(
  { form, mcp }: Pick<RunSettings, 'form' | 'mcp'>,
  steps: readonly Step[],
): Learned {
  return {
    saved: new Map(),
    unchosen: new Map(),
    form: mcp !== undefined ? { form: 'mcp' } : form === 'auto' ? unreadForm(steps) : { form },
    opened: null,
    emptyBecause: null,
    inputs: new Map(),
  };
}

/** The form while the functions are not listed. */
export function unreadForm(steps: readonly Step[]): KnownForm {
  const lister = listerOf(steps);
  const unread: KnownForm = { form: null, because: 'no-answer' };
  return lister === null ? unread : blamed(unread, lister);
}

/** The requirement of the listing step to blame, instead of the reason why the form is unknown. */
export function blamed(known: KnownForm, { id, save }: Step): KnownForm {
  if (known.form !== null) return known;
  const listed = save[LISTED];
  const by = listed?.kind === 'found' ? listed.blockedBy[known.because] : undefined;
  return { form: null, because: by ?? id };
}

/** Whether later steps can use an instance's answers. */
export function usable(
  step: Step,
  { exchanges, ...asked }: Answered,
  form: KnownForm,
  judgeExchange: JudgeExchange,
): Prerequisite {
  // The functions on the first page can be called, whatever comes after it.
  const needed = step.request?.kind === 'list' ? exchanges.slice(0, 1) : exchanges;
  return firstUnmet(
    needed.map((exchange) => {
      const judge = judgeExchange(step, { ...asked, exchange }, form);
      return feedsOthers(step) ? judge.body() : judge.answer();
    }),
  );
}

/** Whether later steps are generated from its answers. */
export function feedsOthers({ save }: Step): boolean {
  return Object.keys(save).length > 0;
}
