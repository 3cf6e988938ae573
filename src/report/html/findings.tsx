import type { VNode } from 'preact';
import { type AnswerView, answerKey } from '../view/answers.ts';
import type { Field, FindingView, RequirementView } from '../view/judgement-view.ts';
import { andMore } from '../view/words.ts';
import { Command, Prose } from './elements.tsx';

const MAX_WHOLE_FINDINGS = 3;
/** Further findings get one line each; the JSON report has all of them. */
export const MAX_FINDINGS = 20;

export type Answers = ReadonlyMap<string, AnswerView>;

export function Findings({
  requirement,
  answers,
}: Readonly<{ requirement: RequirementView; answers: Answers }>): VNode {
  const { text, findings, advice } = requirement;
  const brief = findings.slice(MAX_WHOLE_FINDINGS, MAX_FINDINGS);
  return (
    <>
      {text === undefined ? null : (
        <p>
          <b>Rule:</b> <Prose text={text} />
        </p>
      )}
      {findings.slice(0, MAX_WHOLE_FINDINGS).map((finding, index) => (
        <Evidence
          key={index}
          finding={finding}
          isAlone={findings.length === 1}
          answer={index === 0 ? answers.get(answerKey(finding.where)) : undefined}
        />
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
    </>
  );
}

export function More({ count }: { readonly count: number }): VNode | null {
  return count > 0 ? <li>{andMore(count, 'finding')}</li> : null;
}

function Evidence({
  finding: { message, evidence },
  isAlone,
  answer,
}: {
  readonly finding: FindingView;
  /** The heading says its message. */
  readonly isAlone: boolean;
  readonly answer: AnswerView | undefined;
}): VNode {
  const isAdvice = ([label]: Field): boolean => label === 'curl' || label === 'fix';
  return (
    <div class="evidence">
      {isAlone ? null : <p class="message">{message}</p>}
      <dl>
        {evidence
          .filter((field) => !isAdvice(field))
          .map(([label, text]) => (
            <>
              <dt>{label}</dt>
              <dd>
                {label === 'at' || label === 'fault' ? (
                  text
                ) : (
                  <code class={label === 'received' ? label : undefined}>{text}</code>
                )}
              </dd>
            </>
          ))}
      </dl>
      {answer === undefined ? null : (
        <details class="answer">
          <summary>{answer.words}</summary>
          <pre>
            <code>
              {answer.sent === '' ? null : `${answer.sent}\n\n`}
              {answer.headers.join('\n')}
              {'\n\n'}
              {answer.before}
              {answer.marked === '' ? null : <mark>{answer.marked}</mark>}
              {answer.after}
            </code>
          </pre>
        </details>
      )}
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
