import { jsonText, shorten } from '../json/json.ts';
import { type Answer, type HeardEnd, isSuccess } from '../model/exchange.ts';
import { isMessage, type ToolOutcome, toolOutcome } from '../wires/mcp/answer.ts';

/** What an answer means to its reader, in whichever wire. */
export interface AnswerMeaning {
  /** `status 404`; of a message `result`, `error -32602: Unknown tool`, or the text of a tool's own error. */
  readonly words: string;
  /** What the request asked for was done; a redirect of HTTP is no error. */
  readonly isServed: boolean;
  /** The same without redirects. */
  readonly isAccepted: boolean;
  /** An error, which the request or the server may have caused. */
  readonly isError: boolean;
  /** An error that the answer itself blames on the server. */
  readonly isServersError: boolean;
}

const MIN_REDIRECT = 300;
const MIN_ERROR = 400;
const MIN_SERVERS_ERROR = 500;
/** Of JSON-RPC 2.0. */
const INTERNAL_ERROR = -32603;

export function meaningOf(answer: Answer): AnswerMeaning {
  const status = answer.kind === 'answered' ? answer.response.status : null;
  if (!isMessage(answer) || answer.request.message?.awaited === null) return withoutMessage(answer, status);
  const outcome = toolOutcome(answer);
  const isRefused = outcome.kind === 'refused';
  const isAccepted =
    (status === null || isSuccess(status)) && (outcome.kind === 'result' || outcome.kind === 'wants-input');
  const isHttpError = status !== null && status >= MIN_ERROR;
  const said = outcomeWords(outcome, answer);
  return {
    words: status === null || isSuccess(status) ? said : `status ${status}, ${said}`,
    isServed: isAccepted,
    isAccepted,
    isError: isRefused || isHttpError,
    isServersError:
      (isRefused && outcome.code === INTERNAL_ERROR) || (status !== null && status >= MIN_SERVERS_ERROR),
  };
}

/** An answer of the REST contract, or what came for a request that no message answers. */
function withoutMessage(answer: Answer, status: number | null): AnswerMeaning {
  const words = status === null ? endWords(answer) : `status ${status}`;
  if (status === null)
    return { words, isServed: true, isAccepted: true, isError: false, isServersError: false };
  return {
    words,
    isServed: status < MIN_ERROR,
    isAccepted: status < MIN_REDIRECT,
    isError: status >= MIN_ERROR,
    isServersError: status >= MIN_SERVERS_ERROR,
  };
}

function outcomeWords(outcome: ToolOutcome, answer: Answer): string {
  switch (outcome.kind) {
    case 'result':
      return 'result';
    case 'wants-input':
      return outcome.capabilities.length === 0
        ? 'input required'
        : `a capability of the client is required: ${outcome.capabilities.join(', ')}`;
    case 'refused':
      return `${outcome.by === 'protocol' ? 'error ' : ''}${codeOf(outcome)}: ${outcome.text}`;
    case 'unreadable':
      return answer.kind === 'heard' && answer.heard.length === 0 ? endWords(answer) : outcome.problem;
    default:
      return outcome satisfies never;
  }
}

/** Of JSON-RPC, or `isError` of a tool. */
export function codeOf({ by, code }: Extract<ToolOutcome, { kind: 'refused' }>): string {
  return by === 'tool' ? 'isError' : shorten(jsonText(code ?? null));
}

const END_WORDS: Readonly<Record<HeardEnd, string>> = {
  answered: 'answered',
  silent: 'no answer',
  'not-read': 'the server did not read it',
  closed: 'the server ended',
  interrupted: 'the run was interrupted',
};

function endWords(answer: Answer): string {
  return answer.kind === 'heard' ? END_WORDS[answer.end] : '';
}
