import { BADGE_COLOURS, badgePicture } from 'probity/html';
import type { ServerDetails } from 'probity/model';
import { DECISIONS, percentWords } from './figures.tsx';

type Badged = Pick<ServerDetails, 'status' | 'uptime' | 'figures'> & {
  readonly listing: Pick<ServerDetails['listing'], 'decision'>;
};

export function entryBadge(entry: Badged): string {
  return badgePicture({ label: 'MCP', message: badgeMessage(entry), colour: BADGE_COLOURS[colourOf(entry)] });
}

/** Shows only observed figures, never claims. Pure. */
export function badgeMessage({ status, uptime, figures, listing: { decision } }: Badged): string {
  if (decision !== 'list') return DECISIONS[decision].words;
  if (status === 'down') return 'down';
  return figures === 'claimed' || uptime === null ? 'listed' : `listed · ${percentWords(uptime)}`;
}

function colourOf({ status, listing: { decision } }: Badged): keyof typeof BADGE_COLOURS {
  if (decision !== 'list') return DECISIONS[decision].kind;
  return status === 'down' ? 'fail' : 'pass';
}
