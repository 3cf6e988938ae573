// Keeps one comment on the pull request: a hidden marker finds it again, so that a push changes it instead of adding
// another one.
import { existsSync, readFileSync } from 'node:fs';
import { warn } from './messages.mjs';

/** GitHub accepts 65,536 characters. */
const MAX_LENGTH = 65_000;
const TIMEOUT_MS = 20_000;
const PER_PAGE = 100;
/** Anybody can write a comment that begins with the marker. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** It becomes part of an HTML comment. */
export function isNameOfMarker(name) {
  return /^[\w./ -]+$/.test(name) && !name.includes('--');
}

/** Failing to write the comment is a warning: it says nothing about the server. */
export async function comment({ token, name, verdict, diff, report, env = process.env }) {
  if (token === '' || !isNameOfMarker(name)) return;
  try {
    const pull = pullRequestIn(env.GITHUB_EVENT_PATH);
    if (pull === undefined) return;
    const marker = `<!-- probity: ${name} -->`;
    const written = [diff, report].filter((file) => file !== '').map((file) => readFileSync(file, 'utf8'));
    const nothing = `Probity judged nothing: ${verdict}. The log has the reason.`;
    const body = bodyOf(marker, written.length > 0 ? written : [nothing], footer(pull, env));
    const issues = `${env.GITHUB_API_URL ?? 'https://api.github.com'}/repos/${env.GITHUB_REPOSITORY}/issues`;
    const all = `${issues}/${pull.number}/comments`;
    const own = await ownComment(`${all}?per_page=${PER_PAGE}`, marker, token);
    if (own === null) await ask('POST', all, token, { body });
    else await ask('PATCH', `${issues}/comments/${own.id}`, token, { body });
  } catch (error) {
    // What failed in a connection is only in the cause.
    warn(`The comment on the pull request could not be written: ${error.cause?.message || error.message}`);
  }
}

function pullRequestIn(eventFile) {
  if (!eventFile || !existsSync(eventFile)) return undefined;
  return JSON.parse(readFileSync(eventFile, 'utf8')).pull_request;
}

/** The comment changes with each push: it says which commit it is about, and where the complete reports are. */
function footer(pull, { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run }) {
  return `<sub>Commit ${pull.head.sha}, [job with all reports](${server}/${repository}/actions/runs/${run})</sub>`;
}

/** As many of the texts as fit, the earlier ones first. */
function bodyOf(marker, texts, end) {
  const blocks = [marker];
  let left = MAX_LENGTH - marker.length - end.length;
  for (const text of texts.map((one) => one.trim())) {
    if (text.length > left) continue;
    left -= text.length;
    blocks.push(text);
  }
  return `${[...blocks, end].join('\n\n')}\n`;
}

async function ownComment(firstPage, marker, token) {
  let page = firstPage;
  while (page !== null) {
    const answer = await ask('GET', page, token);
    const comments = await answer.json();
    const own = comments.find(
      ({ body, user, author_association: author }) =>
        body?.startsWith(marker) && (user?.type === 'Bot' || TRUSTED.has(author)),
    );
    if (own !== undefined) return own;
    page = nextPage(answer, firstPage);
  }
  return null;
}

/** The token goes to no other host, whatever the header says. */
function nextPage(answer, firstPage) {
  const [, next] = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
  return next !== undefined && new URL(next).origin === new URL(firstPage).origin ? next : null;
}

async function ask(method, url, token, content) {
  const answer = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw new Error(
    `GitHub answered ${answer.status}. ${REMEDIES[answer.status] ?? 'Run the job again later.'}`,
  );
}

const PERMISSION =
  'The job needs the permission "pull-requests: write". A pull request from a fork gets a token that only reads: leave the input comment-token empty there.';
const REMEDIES = { 401: PERMISSION, 403: PERMISSION, 404: PERMISSION };
