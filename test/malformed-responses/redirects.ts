import type { Behaviour, Visit } from './behaviour.ts';
import { otherStatus } from './finds.ts';
import { bytesOf } from './wire.ts';

function redirect(
  id: string,
  words: string,
  status: number,
  target: (visit: Visit) => string | Buffer,
): Behaviour {
  return {
    id: `redirects/${id}`,
    words,
    legal: true,
    play: (visit) => {
      const location = Buffer.concat([Buffer.from('location: '), Buffer.from(target(visit) as string)]);
      visit.socket.end(bytesOf({ status, headers: [], body: Buffer.alloc(0) }, { add: [location] }));
    },
    finds: otherStatus(status),
  };
}

export const redirects: readonly Behaviour[] = [
  redirect('to-itself', 'answers 301 to the same address', 301, ({ requestUrl }) => requestUrl),
  redirect('to-another-port', 'answers 302 to another port', 302, ({ decoyUrl }) => `${decoyUrl}/health`),
  redirect('see-other', 'answers 303 to another port', 303, ({ decoyUrl }) => `${decoyUrl}/health`),
  redirect('keeping-the-method', 'answers 307 to another port', 307, ({ decoyUrl }) => `${decoyUrl}/execute`),
  redirect('for-good', 'answers 308 to another port', 308, ({ decoyUrl }) => `${decoyUrl}/execute`),
  redirect('to-a-file', 'answers 302 to file:///etc/passwd', 302, () => 'file:///etc/passwd'),
  redirect(
    'to-metadata',
    'answers 302 to the metadata of a cloud',
    302,
    () => 'http://169.254.169.254/latest',
  ),
  redirect('to-javascript', 'answers 302 to a script', 302, () => 'javascript:alert(1)'),
  redirect('without-host', 'answers 302 to a path', 302, () => '/health/'),
  redirect('to-nowhere', 'answers 302 with an empty Location', 302, () => ''),
  redirect(
    'line-break',
    'answers 302 with a line break in Location',
    302,
    ({ decoyUrl }) => `${decoyUrl}/\r\nset-cookie: a=b`,
  ),
];
