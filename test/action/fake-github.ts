import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly type: string };
  readonly author_association: string;
}

export interface FakeGithub {
  readonly url: string;
  readonly comments: Comment[];
  /** Method and path of each request, in order. */
  readonly requests: string[];
  close(): void;
}

const TOKEN = 'ghs_of_the_job';
const PER_PAGE = 100;

/** The comments of one pull request, as GitHub’s API gives and takes them: pages, permissions, and its limit of length. */
export async function startFakeGithub(comments: Comment[] = []): Promise<FakeGithub> {
  const requests: string[] = [];
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://api');
    requests.push(`${request.method} ${url.pathname}`);
    let text = '';
    for await (const chunk of request) text += chunk;
    const answer = (status: number, body: unknown, headers = {}): void => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return answer(403, { message: 'Resource not accessible by integration' });
    const { body } = (text === '' ? {} : JSON.parse(text)) as { body?: string };
    if (body !== undefined && body.length > 65_536) return answer(422, { message: 'body is too long' });
    if (request.method === 'GET') {
      const page = Number(url.searchParams.get('page') ?? 1);
      const next = `<http://${request.headers.host}${url.pathname}?per_page=100&page=${page + 1}>; rel="next"`;
      const isLast = comments.length <= page * PER_PAGE;
      return answer(
        200,
        comments.slice((page - 1) * PER_PAGE, page * PER_PAGE),
        isLast ? {} : { link: next },
      );
    }
    const made = { id: comments.length + 1, user: { type: 'Bot' }, author_association: 'NONE' };
    if (request.method === 'POST') {
      comments.push({ ...made, body: body ?? '' });
      return answer(201, {});
    }
    const changed = comments.find(({ id }) => url.pathname.endsWith(`/issues/comments/${id}`));
    if (changed === undefined) return answer(404, {});
    changed.body = body ?? '';
    return answer(200, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, comments, requests, close: () => server.close() };
}

export const JOB_TOKEN = TOKEN;
