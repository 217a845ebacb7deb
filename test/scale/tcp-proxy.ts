import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a proxy to a server that can drop data silently, cut a connection, and lead elsewhere; it
 * closes with the test.
 */
export async function startTcpProxy(server: URL) {
  let target = server;
  const silent = new Set<Socket>();
  const open = new Set<Socket>();
  let onDropped: () => void = () => undefined;
  let cut: { word: string; done(): void } | null = null;
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    open.add(near);
    near.on('data', (bytes) => {
      if (cut && bytes.includes(cut.word)) {
        cut.done();
        cut = null;
        near.destroy();
      } else if (silent.has(near)) onDropped();
      else far.write(bytes);
    });
    far.on('data', (bytes) => near.write(bytes));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const url = new URL(server);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Leads new connections to another server; open ones stay. */
    redirect: (to: URL) => {
      target = to;
    },
    /** Cuts the next connection on which a word is sent, in place of that; resolves then. */
    cutAt: (word: string) =>
      new Promise<void>((done) => {
        cut = { word, done };
      }),
    /** Drops all further data of the open connections; resolves once something was dropped. */
    drop: () => {
      for (const one of open) silent.add(one);
      return new Promise<void>((resolve) => {
        onDropped = resolve;
      });
    },
  };
}
