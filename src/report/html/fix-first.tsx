import type { VNode } from 'preact';
import type {
  AcceptedView,
  Field,
  FindingView,
  JudgementView,
  RequirementView,
} from '../view/judgement-view.ts';
import { andMore } from '../view/words.ts';
import { Command } from './command.tsx';
import { Prose } from './prose.tsx';

/** Number of requirements that are open from the start. */
const MAX_OPEN = 3;
const MAX_WHOLE_FINDINGS = 3;
/** Further findings get one line each; the JSON report has all of them. */
const MAX_FINDINGS = 20;

export function hasToFix({ toFix, accepted, problems }: JudgementView): boolean {
  return toFix.length + accepted.length + problems.length > 0;
}

export function FixFirst({ view }: { readonly view: JudgementView }): VNode | null {
  const { toFix, accepted, problems } = view;
  if (!hasToFix(view)) return null;
  return (
    <section id="fix" aria-labelledby="fix-title">
      <h2 id="fix-title">Fix first</h2>
      {problems.length === 0 ? null : (
        <div class="box fail">
          <h3>The baseline is out of date</h3>
          <ul>
            {problems.map(({ word, requirement, place, message }) => (
              <li key={`${word} ${requirement} ${place}`}>
                <b>{word}</b> <code>{requirement}</code>
                {place === '' ? '' : `, ${place}`}: {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {toFix.map((one, index) => (
        <Broken key={one.id} requirement={one} open={index < MAX_OPEN} />
      ))}
      {accepted.length === 0 ? null : <Accepted accepted={accepted} />}
    </section>
  );
}

function Broken({
  requirement: { id, state, word, level, section, text, reason, findings, advice },
  open,
}: {
  readonly requirement: RequirementView;
  readonly open: boolean;
}): VNode {
  const brief = findings.slice(MAX_WHOLE_FINDINGS, MAX_FINDINGS);
  return (
    <details class={`broken ${state}`} open={open} id={anchorOf(id)}>
      <summary>
        <span class={`mark ${state}`}>{word}</span> <code class="id">{id}</code>{' '}
        <span class="level">
          {level}, {section}
        </span>
        <span class="statement">{reason}</span>
      </summary>
      {text === undefined ? null : (
        <p>
          <b>Rule:</b> <Prose text={text} />
        </p>
      )}
      {findings.slice(0, MAX_WHOLE_FINDINGS).map((finding, index) => (
        <Evidence key={index} finding={finding} />
      ))}
      {brief.length === 0 ? null : (
        <>
          <h3>More findings</h3>
          <ul>
            {brief.map(({ sentence, received }, index) => (
              <li key={index}>
                {sentence}: <code>{received}</code>
              </li>
            ))}
            <More count={findings.length - MAX_FINDINGS} />
          </ul>
        </>
      )}
      <Advice fields={advice} />
    </details>
  );
}

function More({ count }: { readonly count: number }): VNode | null {
  return count > 0 ? <li>{andMore(count, 'finding')}</li> : null;
}

function Evidence({ finding: { message, evidence } }: { readonly finding: FindingView }): VNode {
  const isAdvice = ([label]: Field): boolean => label === 'curl' || label === 'fix';
  return (
    <div class="evidence">
      <p class="message">{message}</p>
      <dl>
        {evidence
          .filter((field) => !isAdvice(field))
          .map(([label, text]) => (
            <>
              <dt>{label}</dt>
              <dd>{label === 'at' || label === 'fault' ? text : <code class={label}>{text}</code>}</dd>
            </>
          ))}
      </dl>
      <Advice fields={evidence.filter(isAdvice)} />
    </div>
  );
}

const ADVICE_LABELS: Readonly<Partial<Record<Field[0], string>>> = {
  why: 'Why it matters',
  fix: 'How to fix it',
  curl: 'Repeat the request',
  again: 'Check this alone',
};

function Advice({ fields }: { readonly fields: readonly Field[] }): VNode {
  return (
    <>
      {fields.map(([name, text]) => {
        const label = ADVICE_LABELS[name] ?? name;
        return name === 'curl' || name === 'again' ? (
          <Command key={name} label={label} text={text} />
        ) : (
          <p key={name}>
            <b>{label}:</b> <Prose text={text} />
          </p>
        );
      })}
    </>
  );
}

function Accepted({ accepted }: { readonly accepted: readonly AcceptedView[] }): VNode {
  return (
    <details class="broken accepted">
      <summary>
        <span class="mark accepted">accepted</span> Findings that the baseline accepts
      </summary>
      <ul>
        {accepted.slice(0, MAX_FINDINGS).map(({ id, place, count, until, words }, index) => (
          <li key={index}>
            <code>{id}</code>
            {place === '' ? '' : `, ${place}`}, until {until}
            {count === 1 ? '' : ` (${count} findings)`}: {words}
          </li>
        ))}
        <More count={accepted.length - MAX_FINDINGS} />
      </ul>
    </details>
  );
}

/** Ids of the product need no escaping in a fragment. Those of a user's suites may, and then the link does not work. */
export function anchorOf(id: string): string {
  return `fix-${id.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;
}
