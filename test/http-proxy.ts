import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

export interface HttpProxy {
  readonly url: string;
  /** The received requests: the method, and the address or the host and port. */
  readonly asked: readonly string[];
  readonly close: () => void;
}

/** A proxy that answers requests for http addresses itself, and connects every tunnel to one port of this machine. */
export async function startHttpProxy(answer: http.RequestListener, tunnelPort = 0): Promise<HttpProxy> {
  const asked: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket: net.Socket) => {
    asked.push(`${request.method} ${request.url}`);
    const onward = net.connect(tunnelPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => undefined);
    sockets.add(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
