import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers requests to the port. It calls `admitted`, where given, once it knows that a request is
 * Slack's: until that is answered, its connection makes room for no other.
 */
export type PortListener = (
  request: IncomingMessage,
  response: ServerResponse,
  admitted?: () => void,
) => void;
