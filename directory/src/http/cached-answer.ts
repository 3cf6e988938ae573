import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** How long a client may use an answer without revalidation. */
const MAX_AGE_SECONDS = 30;

interface Cached {
  readonly type: string;
  readonly isPublic: boolean;
  /** 0: a cached answer is revalidated each time. */
  readonly maxAgeSeconds?: number;
  /** Headers of the request that the answer depends on. */
  readonly vary?: string;
}

export interface TaggedBody {
  readonly body: Buffer;
  readonly etag: string;
}

export function taggedBody(text: string): TaggedBody {
  const body = Buffer.from(text);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}

/** Sends a read with caching headers and an ETag, or 304 when the client already has the current answer. */
export function answerRead(
  reply: FastifyReply,
  { body, etag }: TaggedBody,
  {
    type,
    isPublic,
    maxAgeSeconds = MAX_AGE_SECONDS,
    vary = isPublic ? 'Accept' : 'Accept, Authorization',
  }: Cached,
): FastifyReply {
  reply.headers({
    etag,
    'cache-control': `${isPublic ? 'public' : 'private'}, max-age=${maxAgeSeconds}${maxAgeSeconds === 0 ? ', must-revalidate' : ''}`,
    vary,
  });
  if (isKnown(reply.request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(body);
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((given) => {
    const tag = given.trim();
    return tag === '*' || tag.replace(/^W\//, '') === etag;
  });
}
