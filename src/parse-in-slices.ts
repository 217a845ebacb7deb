import type { Socket } from 'node:net';

/** Bytes that are parsed before it is looked whether the connection is still wanted: a few requests. */
const SLICE = 4_096;

/**
 * Makes a server's connection stop being parsed where it is destroyed. Node parses all of what came at
 * once: 64 KiB may hold thousands of requests, with objects for each, and closing the connection at
 * the second would spare none of them. To be called by a listener of the server's `connection`.
 */
export function parseInSlices(socket: Socket): void {
  const [parse] = socket.listeners('data');
  if (!parse) return;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !socket.destroyed; at += SLICE)
      parse.call(socket, chunk.subarray(at, at + SLICE));
  });
}
