import { ownProperty, shorten, showJson } from '../../json/json.ts';
import { type Answer, isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { bufferFrom, sentJson } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { versionsIn } from '../../wires/mcp/opening.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { methodOf } from './received.ts';

export const versionListed = defineCheck(
  'json',
  'version-listed',
  'supportedVersions of server/discover has the revision in which the server answered',
  ({ value, opened }) => {
    const versions = ownProperty(ownProperty(value, 'result'), 'supportedVersions');
    if (opened === null || !Array.isArray(versions)) return inapplicable('there is no list of revisions');
    if (versions.includes(opened.version)) return passed;
    return failed({
      message: 'the server answers in a revision that it does not list',
      expected: `${opened.version} in supportedVersions`,
      received: showJson(versions),
      pointer: '/result/supportedVersions',
    });
  },
);

export const otherVersionAnswered = defineCheck(
  'json',
  'other-version-answered',
  'a revision that does not exist is answered with one that the server speaks, or with an error',
  ({ value, exchange }) => {
    if (ownProperty(value, 'error') !== undefined) return passed;
    const requested = ownProperty(ownProperty(sentJson(exchange.request), 'params'), 'protocolVersion');
    const given = ownProperty(ownProperty(value, 'result'), 'protocolVersion');
    if (typeof given === 'string' && given !== requested) return passed;
    return failed({
      message:
        given === requested
          ? 'the server accepts a revision of the protocol that does not exist'
          : 'the server names no revision instead of one that does not exist',
      expected: `a revision that the server speaks instead of ${showJson(requested)}, or an error`,
      received: showJson(given),
      pointer: '/result/protocolVersion',
    });
  },
);

/** What an answer says, without what HTTP adds. */
function textOf(answer: Answer): string {
  if (answer.kind === 'answered') return bufferFrom(answer.response.body).toString();
  return answer.heard.map(({ bytes }) => bufferFrom(bytes).toString()).join('\n');
}

export const versionRefusedWell = defineCheck(
  'step',
  'version-refused-well',
  'a revision that the server does not speak is answered in JSON-RPC: with another revision, or an error',
  ({ asked }) => {
    const answers = asked.map(({ exchange }) => exchange).filter(isAnswer);
    const openings = answers.filter((exchange) => methodOf(exchange) === 'initialize');
    if (openings.length === 0) return inapplicable('no session was asked for');
    return judgeEach(openings, (exchange) => {
      const kind = answeringMessage(exchange)?.message.kind;
      if (kind === 'result' || kind === 'error') return passed;
      const status = exchange.kind === 'answered' ? `HTTP status ${exchange.response.status}` : 'no message';
      return failed({
        message: 'initialize is answered with no message of JSON-RPC',
        expected: 'a result with a revision that the server speaks, or an error of JSON-RPC',
        received: `${status}: ${shorten(textOf(exchange).trim())}`,
        exchangeKey: exchange.request.key,
      });
    });
  },
);

export const versionsNamed = defineCheck(
  'exchange',
  'versions-named',
  'a server that opens no sessions says in its error to initialize which revisions it speaks',
  ({ exchange }) => {
    if (exchange.kind === 'unanswered') return inapplicable('initialize was not answered');
    const message = answeringMessage(exchange)?.message;
    if (message?.kind === 'result') return inapplicable('the server opens sessions too');
    if (message?.kind === 'error') {
      const named = ownProperty(message.data, 'supported');
      const words = typeof message.message === 'string' ? versionsIn(message.message) : [];
      if ((Array.isArray(named) && named.length > 0) || words.length > 0) return passed;
    }
    return failed({
      message: 'the answer to initialize names no revision that the server speaks',
      expected: 'an error that names the supported revisions in its message or in data.supported',
      received: shorten(textOf(exchange).trim()),
    });
  },
);

export const endsWithInput = defineCheck(
  'exchange',
  'ends-with-input',
  'the server ends when its standard input is closed',
  ({ exchange }) => {
    if (exchange.kind !== 'heard') return inapplicable('the server does not speak over standard streams');
    if (exchange.end === 'closed') return passed;
    return failed({
      message: 'the server does not end when its standard input is closed',
      expected: 'the end of the process',
      received: `it still ran after ${Math.round(exchange.timing.durationMs / 1000)} s`,
    });
  },
);
