import { TEXT_SUBJECTS } from '../../generated/texts.ts';
import { jsonPointer } from '../../json/json.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed, type Shortcoming } from '../../model/judgement.ts';
import { bufferFrom, isHttpRequest, sentBytes, sentJson } from '../../model/sent.ts';
import type { PatternRule, TextPlace, TextSubject } from '../../model/text-rule.ts';
import { type Asked, cannotJudge, defineCheck } from '../define-check.ts';
import { NO_ANSWER } from '../json/answers.ts';
import { type Hit, hitIn } from './apply-rule.ts';
import { escaped } from './escaped.ts';
import { type PlacedText, textsOf } from './texts-of-answer.ts';

// Texts that models read, against the rules of suites/texts: what a server lists and says of itself, and what its calls
// return. A text of a result may be somebody else's, such as a page that a tool fetched; few rules judge it. What the
// harness itself sent is never held against the server. docs/safe-texts.md says which rule judges what.

export const safeTexts = defineCheck(
  'step',
  'safe-texts',
  'no text that a model reads breaks a rule of the subject, such as one about invisible characters',
  ({ asked, exchanges, options, targetUrl, opened }) => {
    const subject = TEXT_SUBJECTS.find((one) => one.subject === options.subject);
    const read = asked.map((one) => ({ one, texts: textsOf(one) })).filter(({ texts }) => texts.length > 0);
    if (subject === undefined || !asked.some(({ exchange }) => isAnswer(exchange)))
      return cannotJudge('no-answer');
    const names = read.flatMap(({ texts }) => texts.filter(({ place }) => place === 'name'));
    const judging = new SubjectJudge({
      subject,
      exchanges,
      names: new Set(names.map(({ text }) => text)),
      isPiped: opened?.channel === 'stdio',
      targetUrl,
    });
    for (const { one, texts } of read) judging.judge(one, texts);
    const findings = judging.findings();
    if (findings.length > 0) return findings;
    // Errors alone say little of a server whose lists could not be read.
    return names.length > 0 ? passed : inapplicable('no list of what the server offers was read');
  },
  {
    ...NO_ANSWER,
    options: {
      subject: { doc: 'The subject of the rules: the name of a file in `suites/texts/`.', required: true },
    },
    replacedSecret: 'irrelevant',
  },
);

/** Of one subject; the rest is counted. */
const MAX_FINDINGS = 30;
/** What the harness may have sent itself. */
const MAY_REPEAT: ReadonlySet<TextPlace> = new Set<TextPlace>(['error', 'result', 'prompt']);

interface RuleHit {
  readonly rule: PatternRule;
  readonly hit: Hit;
}

interface Judged {
  readonly subject: TextSubject;
  readonly exchanges: readonly Exchange[];
  readonly names: ReadonlySet<string>;
  readonly isPiped: boolean;
  readonly targetUrl: string;
}

class SubjectJudge {
  readonly #judged: Judged;
  readonly #rules: readonly PatternRule[];
  readonly #seen = new Set<string>();
  readonly #found: Shortcoming[] = [];
  #more = 0;
  #sent: string | null = null;

  constructor(judged: Judged) {
    this.#judged = judged;
    this.#rules = judged.subject.rules.filter(
      (rule): rule is PatternRule =>
        rule.kind !== 'look-alike' && !(rule.onlyOverHttp === true && judged.isPiped),
    );
  }

  judge({ exchange, call }: Asked, texts: readonly PlacedText[]): void {
    for (const placed of texts) {
      const key = `${placed.place} ${placed.text}`;
      // The same list is read several times, and calls repeat their results.
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      const hits = this.#rules.flatMap((rule): readonly RuleHit[] => {
        if (!rule.in.includes(placed.place)) return [];
        const hit = hitIn(placed.text, rule, (name) => this.#judged.names.has(name));
        return hit === null || this.#isOfHarness(placed, hit) ? [] : [{ rule, hit }];
      });
      const named = placed.function ?? call?.functionName;
      this.#report({ ...placed, function: named }, hits, exchange.request.key);
    }
  }

  findings(): readonly Shortcoming[] {
    const [first, ...rest] = this.#found;
    if (first === undefined) return [];
    const more = this.#more === 0 ? '' : ` (and ${this.#more} more)`;
    return [{ ...first, message: `${first.message}${more}` }, ...rest];
  }

  /** One finding for each text: it is to be written anew anyway. */
  #report(
    { label, text, path, function: named }: PlacedText,
    [first, ...others]: readonly RuleHit[],
    exchangeKey: string,
  ): void {
    if (first === undefined) return;
    if (this.#found.length >= MAX_FINDINGS) {
      this.#more += 1;
      return;
    }
    const { rule, hit } = first;
    const also = others.map((other) => ` It also ${other.rule.says}.`).join('');
    this.#found.push(
      failed({
        message: `${label} ${rule.says}. ${rule.why}${also}`,
        expected: this.#judged.subject.expected,
        received: rule.kind === 'secret' ? maskedExcerpt(hit) : excerpt(text, hit),
        pointer: jsonPointer(path),
        exchangeKey,
        function: named,
      }),
    );
  }

  /** Whether an error or a result repeats what was sent, or names the address that the user gave. */
  #isOfHarness({ place }: PlacedText, { found }: Hit): boolean {
    if (!MAY_REPEAT.has(place)) return false;
    this.#sent ??= [this.#judged.targetUrl, ...this.#judged.exchanges.flatMap(sentTexts)].join('\n');
    const trimmed = found.trim().slice(0, MAX_COMPARED);
    return this.#sent.includes(trimmed) || this.#sent.includes(trimmed.replace(/^:\/\//, ''));
  }
}

const MAX_COMPARED = 200;

/** As it was written, and as a reader decodes it. */
function sentTexts({ request }: Exchange): readonly string[] {
  const url = isHttpRequest(request) ? [request.url] : [];
  const bytes = sentBytes(request);
  if (bytes === null || 'parts' in bytes) return url;
  const decoded: string[] = [];
  JSON.stringify(sentJson(request) ?? null, (key, value: unknown) => {
    decoded.push(key);
    if (typeof value === 'string') decoded.push(value);
    return value;
  });
  return [...url, bufferFrom(bytes).toString(), ...decoded];
}

/** For private use, or of Cyrillic inside a word of Latin. */
const NOT_SEEN = /\p{Co}|[\u0400-\u052F](?=[A-Za-z])/gu;
/** Of a character that the excerpt cuts. */
const HALVES = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;
const AROUND = 40;
const MAX_SHOWN = 120;

/** The match with what stands around it, with escapes for what is invisible. */
function excerpt(text: string, { found, index }: Hit): string {
  const end = index + Math.min(found.length, MAX_SHOWN);
  const [from, to] = [Math.max(0, index - AROUND), Math.min(text.length, end + AROUND)];
  const shown = text.slice(from, to).replace(HALVES, '');
  return `"${from > 0 ? '…' : ''}${escaped(shown, NOT_SEEN)}${to < text.length ? '…' : ''}"`;
}

/** A report must not spread the secret. */
function maskedExcerpt({ found }: Hit): string {
  return `"${found.slice(0, 4)}…" (${found.length} characters)`;
}
