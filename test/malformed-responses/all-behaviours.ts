import type { Behaviour } from './behaviour.ts';
import { clocks } from './clocks.ts';
import { codings } from './codings.ts';
import { connections } from './connections.ts';
import { floods } from './floods.ts';
import { framing } from './framing.ts';
import { headers } from './headers.ts';
import { json } from './json.ts';
import { names } from './names.ts';
import { rateLimits } from './rate-limits.ts';
import { redirects } from './redirects.ts';
import { resets } from './resets.ts';
import { schemas } from './schemas.ts';
import { silence } from './silence.ts';
import { statusLines } from './status-lines.ts';
import { text } from './text.ts';

/** All behaviours of the malformed server, by family. */
export const families: readonly (readonly Behaviour[])[] = [
  silence,
  resets,
  floods,
  framing,
  statusLines,
  headers,
  codings,
  text,
  json,
  names,
  schemas,
  redirects,
  connections,
  rateLimits,
  clocks,
];

export const behaviours: readonly Behaviour[] = families.flat();
