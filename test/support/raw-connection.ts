import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that a test writes to by hand, with everything received on it. */
export interface RawConnection {
  socket: Socket;
  /** Writes; resolves when the system has accepted the bytes or the connection is gone. */
  send(bytes: string | Buffer): Promise<void>;
  received(): string;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
}

/** Connects to a port of this machine. */
export async function openRaw(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect(port, host);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  const send = (bytes: string | Buffer) =>
    new Promise<void>((resolve) => {
      if (socket.destroyed) return resolve();
      socket.once('close', resolve);
      socket.write(bytes, () => {
        socket.off('close', resolve);
        resolve();
      });
    });
  return { socket, send, received: () => received, closed };
}

/** Returns the head of a request to the app in Slack's form, with an invalid signature. */
export function eventsHead(length: number, headers: Record<string, string> = {}): string {
  const given = {
    host: 'app',
    'content-type': 'application/json',
    'content-length': String(length),
    ...headers,
  };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  return `POST /slack/events HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Returns headers in the form of Slack's, with the current time and a forged signature. */
export function forgedSignature(): Record<string, string> {
  return {
    'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)),
    'x-slack-signature': `v0=${'0'.repeat(64)}`,
  };
}
