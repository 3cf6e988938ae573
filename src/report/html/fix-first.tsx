import type { VNode } from 'preact';
import { answerKey } from '../view/answers.ts';
import { causesOf } from '../view/causes.ts';
import type { AcceptedView, JudgementView, RequirementView } from '../view/judgement-view.ts';
import type { ReportView } from '../view/report-view.ts';
import { counted, countedAs } from '../view/words.ts';
import { anchorOf, type Card, cardsOf } from './cards.ts';
import { type Answers, Findings, MAX_FINDINGS, More } from './findings.tsx';

const MAX_OPEN = 3;

export function hasToFix({ toFix, accepted, problems }: JudgementView): boolean {
  return toFix.length + accepted.length + problems.length > 0;
}

type FixView = JudgementView & Partial<Pick<ReportView, 'causes' | 'answers' | 'wrong' | 'reachable'>>;

/** Without the exchanges, findings about the same error answer are separate causes. */
export function FixFirst({ view }: { readonly view: FixView }): VNode | null {
  const { toFix, accepted, problems, answers = new Map(), wrong = null, reachable = true } = view;
  const { causes = causesOf(toFix, new Map()) } = view;
  if (!hasToFix(view)) return null;
  const isOneCard = !reachable && wrong !== null;
  const cards = cardsOf(causes).map((card, index) => (
    <CauseCard key={index} card={card} answers={answers} open={!isOneCard && index < MAX_OPEN} />
  ));
  return (
    <section id="fix" aria-labelledby="fix-title">
      <h2 id="fix-title">Fix first</h2>
      {wrong === null ? null : (
        <div class="box fail">
          <h3>{wrong.problem}</h3>
          <p>{wrong.remedy}</p>
          {isOneCard ? (
            <details class="others">
              <summary>Explains {counted(toFix.length, 'requirement')}</summary>
              {cards}
            </details>
          ) : null}
        </div>
      )}
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
      {isOneCard ? null : cards}
      {accepted.length === 0 ? null : <Accepted accepted={accepted} />}
    </section>
  );
}

function CauseCard({
  card,
  answers,
  open,
}: Readonly<{ card: Card; answers: Answers; open: boolean }>): VNode {
  const { cause, anchor, others } = card;
  const { main, sentence, place, also } = cause;
  const about = [
    ...(place === '' ? [] : [place]),
    ...(also.length === 0 ? [] : [`also explains ${counted(also.length, 'requirement')}`]),
  ].join('; ');
  return (
    <details class={`broken ${countedAs(main.state)}`} open={open} id={anchor}>
      <Summary requirement={main} statement={sentence} about={about} />
      <Findings requirement={main} answers={answers} />
      {others.length === 0 ? null : <Others others={others} answers={without(answers, main)} />}
    </details>
  );
}

/** Other requirements of a cause are often about the same answer, which is shown once. */
function without(answers: Answers, { findings: [first] }: RequirementView): Answers {
  const shown = first === undefined ? '' : answerKey(first.where);
  return new Map([...answers].filter(([key]) => key !== shown));
}

/** The other requirements of a cause: links for those without findings of their own, else folded findings. */
function Others({ others, answers }: { readonly others: Card['others']; readonly answers: Answers }): VNode {
  const linked = others.filter(
    ({ requirement, isElsewhere }) => isElsewhere || requirement.findings.length === 0,
  );
  const whole = others.filter((other) => !linked.includes(other));
  return (
    <details class="others">
      <summary>Also explains {counted(others.length, 'requirement')}</summary>
      {whole.map(({ requirement, anchor }) => (
        <details key={requirement.id} class="other" id={anchor}>
          <Summary requirement={requirement} statement={requirement.reason} />
          <Findings requirement={requirement} answers={answers} />
        </details>
      ))}
      {linked.length === 0 ? null : (
        <ul class="links">
          {linked.map(({ requirement: { id, word }, anchor, isElsewhere }) => (
            <li key={id} id={anchor}>
              {word} <a href={`#${anchorOf(isElsewhere ? 'fix' : 'row', id)}`}>{id}</a>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function Summary({
  requirement: { id, state, word, level, section },
  statement,
  about = '',
}: Readonly<{ requirement: RequirementView; statement: string; about?: string }>): VNode {
  return (
    <summary>
      <span class={`mark ${countedAs(state)}`}>{word}</span> <code class="id">{id}</code>{' '}
      <span class="level">
        {level}, {section}
      </span>
      <span class="statement">{statement}</span>
      {about === '' ? null : <span class="reason">{about}</span>}
    </summary>
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
